"""Answers by a language model behind any endpoint that speaks OpenAI's protocol."""
