"""What a person can do with tokenizers: plain functions without HTTP, one module or one small package a capability."""
