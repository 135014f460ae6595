"""The formats of the federal directive on calling extracts, version 2.0: answers in, values out."""
