"""A text encoded with any vocabulary of the store, step by step."""
