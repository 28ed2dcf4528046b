"""Tokens that are no sub-words: patches of bytes, pictures, sound, actions, sentences and parameters."""
