"""Byte-level BPE and BPE by pairs: encode one word or many at once, trace, learn, and train a whole vocabulary."""
