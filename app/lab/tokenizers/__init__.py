"""The tokenizers of this server: files that users add, vocabularies that are fetched on request, and their store."""
