"""Fast versions of the teaching files, with heaps, caches, segments and arrays. Tests compare each with its file."""
