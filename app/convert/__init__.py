"""Convert tokenizers between formats: files to those that an engine reads, and a tokenizer to another format.

What reads or writes one format is in `formats`.
"""
