"""The doctor: what is wrong with a tokenizer's files, by which rule, and how to mend it."""
