"""Convert tokenizers between formats; what reads or writes one format is in `formats`.

`from_…` convert the files of a user to files that an engine reads, `targets` any tokenizer to
another format, and `trained` a vocabulary that was trained here.
"""
