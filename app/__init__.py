"""Tokenarium: the place to look at tokens."""

__version__ = "0.1.0"
