"""The regex lab: what a pre-tokenization pattern matches in a text, in which engine, and what that does to tokens."""
