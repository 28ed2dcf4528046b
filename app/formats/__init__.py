"""Readers and writers of tokenizer files: from bytes to validated plain data. Nothing in a file is executed."""
