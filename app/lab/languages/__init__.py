"""The atlas: one text in every language through every tokenizer, and what each language pays.

`texts` reads the declarations, `atlas` counts their tokens, `record` keeps the counts, `rows` sorts and filters them,
`regions` tells parts of the world, `premiums` sums up by script and tokenizer, `published` compares with the papers.
"""
