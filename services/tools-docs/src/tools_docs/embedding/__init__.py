"""Vectors of texts: of an endpoint, or of the model that comes with a wheel."""
