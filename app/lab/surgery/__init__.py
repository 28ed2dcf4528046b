"""Surgery on a copy of a tokenizer: prune and extend its vocabulary, change its special tokens, and say what changed."""
