"""WordPiece: encode and learn."""
