"""The `ask` command: run ask.sogis on one machine, talk to it, and look inside."""
