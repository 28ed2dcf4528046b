"""The command line, one command a file: `options` says what it takes, `run` does it. A file is imported when used."""
