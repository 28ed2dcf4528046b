"""The laboratories beyond sub-words as JSON, one module each."""
