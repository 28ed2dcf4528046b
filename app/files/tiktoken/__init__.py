"""Ranks files: tiktoken’s, and the vocabularies of bytes of others."""
