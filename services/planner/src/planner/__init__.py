"""Message, session and live tool list become a plan."""
