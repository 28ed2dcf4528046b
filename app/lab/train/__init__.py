"""Train a tokenizer of one’s own: what is asked for, the run, what came of it, and the process it runs in."""
