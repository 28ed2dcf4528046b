"""Readers and writers of tokenizer files: bytes to plain data, validated, never executed."""
