"""Train a tokenizer: options, the training itself, its job and process, and what is kept of it."""
