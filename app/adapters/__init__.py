"""Adapters: each makes a tokenizer library, or the engines of this project, a `Tokenizer`.

A library is imported only by the functions that load a tokenizer with it, so that the server starts without it.
"""
