"""Step-by-step views of training a vocabulary and of encoding a text."""
