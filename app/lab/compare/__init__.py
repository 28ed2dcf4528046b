"""Compare: one text through several tokenizers, where they cut it differently, and what that costs."""
