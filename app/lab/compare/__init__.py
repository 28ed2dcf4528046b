"""Compare: the segmentations of one text by several tokenizers, where they differ, and what the tokens cost."""
