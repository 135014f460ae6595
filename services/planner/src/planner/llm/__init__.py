"""The planner that asks a language model."""
