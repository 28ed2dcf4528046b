"""Parameters as tokens (TokenFormer): a layer that grows, and what that does to its output."""
