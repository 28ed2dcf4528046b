"""Chat: a conversation written out by a template, cut into tokens, and where each of them comes from."""
