"""The language atlas: how many tokens one text has in every language, for every tokenizer of the store."""
