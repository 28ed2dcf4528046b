"""Tokenizer algorithms in pure Python, made to be read."""
