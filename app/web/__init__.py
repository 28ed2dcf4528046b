"""The thin layer that speaks HTTP."""
