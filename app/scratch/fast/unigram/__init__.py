"""Unigram: encode, the lattice of all segmentations, learn, and train a whole vocabulary."""
