"""Count the tokens of each file of a folder, with a cache, limits, and what was added since a revision."""
