"""Two vocabularies side by side: their tokens, ids and merges, and what texts cost in each."""
