"""The pages of the laboratories beyond sub-words, one module each."""
