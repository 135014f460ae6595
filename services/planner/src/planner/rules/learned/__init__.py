"""What the rules do not hear: intents by what people said before, as a linear model learned it."""
