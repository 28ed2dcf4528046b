"""The hall: what its lecturer does, and what its phones do."""
