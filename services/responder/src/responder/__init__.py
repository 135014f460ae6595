"""The responder: what a turn has found becomes a streamed Markdown answer with checked sources."""
