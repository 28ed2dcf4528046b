"""SentencePiece (0.2), equal to the library: normalization, its models, and their traces."""
