"""Movements as tokens (FAST): made by formula, encoded, decoded, and beside naive binning."""
