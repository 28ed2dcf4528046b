"""Step through it: how a vocabulary is learned, and how a text is encoded with one, a step at a time."""
