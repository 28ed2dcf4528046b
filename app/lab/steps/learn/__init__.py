"""A vocabulary learned from a corpus, step by step."""
