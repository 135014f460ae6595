"""Wishes of the intents that a model has heard: what they need is taken from what the message names."""
