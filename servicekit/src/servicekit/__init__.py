"""What every service starts with. Knows the bus and the process, and no domain."""
