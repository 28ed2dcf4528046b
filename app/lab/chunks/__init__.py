"""Divide a text into chunks of at most some tokens, at boundaries of its structure, and measure them."""
