"""The `.model` file of SentencePiece."""
