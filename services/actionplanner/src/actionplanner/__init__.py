"""The action planner: an intent and its outcome become a message, map actions, or a choice."""
