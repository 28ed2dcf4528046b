"""Convert tokenizers between formats; what reads or writes one format is in `formats`.

`from_…` convert the files of a user to files that an engine reads, `record_json` and `targets` any tokenizer to
another format, and `trained_…` a vocabulary that was trained here.
"""
