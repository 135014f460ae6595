"""Fills an index: from a folder, a file of records, or a council information system that speaks OParl."""
