"""The command line, one command a file, imported when used: `options` adds its arguments, `run` executes it."""
