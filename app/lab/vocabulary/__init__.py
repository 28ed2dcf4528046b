"""The vocabulary of one tokenizer: its tokens in columns, search through them, and each token on its own."""
