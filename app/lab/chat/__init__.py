"""Chat: render a conversation with a chat template, tokenize it, and attribute every token to its source."""
