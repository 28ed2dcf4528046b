"""Count training sets of conversations: their rows, their tokens by role and turn, and how they are packed."""
