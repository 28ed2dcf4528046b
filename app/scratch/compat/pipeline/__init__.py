"""The pipeline of Hugging Face `tokenizers` (0.23), component by component, equal to the library."""
