"""The turns of a conversation as ids: whether each begins with those before it, why not, and what mends it."""
