"""The folders of transformers, and the older files in them."""
