"""One adapter an engine; each makes the same `Tokenizer`."""
