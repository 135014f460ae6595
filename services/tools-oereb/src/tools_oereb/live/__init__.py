"""The live cadastre: a web service that follows the federal directive on calling extracts, version 2.0."""
