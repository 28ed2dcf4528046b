"""Files of tokenizers: a module or a folder for each format, with what reads it, writes it, and tokenizes by it.

- Reading: from bytes to validated plain data (`read`, `model`, `ranks`). Nothing in a file is executed.
- Converting: `convert` makes of the files of a user those that an engine reads, and `records` a record of them;
  `targets` brings any tokenizer into another format, and `trained` a vocabulary that was trained here.
- Tokenizing: each `library` makes a tokenizer library a `Tokenizer`, `scratch` the engines of this project. A library
  is imported only by the functions that load a tokenizer with it, so that the server starts without it.
"""
