"""The `tokenizer.json` of Hugging Face’s tokenizers."""
