"""What a message says: its sentences and clauses, and what they want."""
