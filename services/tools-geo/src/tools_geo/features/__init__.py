"""Features of layers: which of them are meant, and what is told of them. The same for every source."""
