"""Oniguruma, the regular expressions of Hugging Face `tokenizers` (6.9.10, Unicode 16.0), for the `regex` module.

`parser` reads a pattern to a tree of `syntax`; `translation` spells the tree for `regex`, with the sets of `charsets`
and case folding; `search` finds the same matches as the library. Syntax that is not known to mean the
same is refused by name.
"""
