"""What the rules do not hear: intents by what people said before, as models learned it."""
