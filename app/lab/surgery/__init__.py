"""Surgery on a copy of a tokenizer: prune, extend, change special tokens, and say what changed."""
