"""Count the tokens of any amount of text: files of several formats in parts, on all cores, resumable."""
