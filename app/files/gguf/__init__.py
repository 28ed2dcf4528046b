"""GGUF, the file of llama.cpp."""
