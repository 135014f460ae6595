"""The contracts between the services, and between the system and its users.

Models are frozen; JSON is camelCase. This package does no I/O and knows no bus client.
"""
