"""A text through a tokenizer, stage by stage, and what becomes of it if a component is another."""
