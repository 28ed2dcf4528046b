"""What a person can do with tokenizers: plain functions that know nothing of HTTP."""
