"""The atlas: one text in every language through every tokenizer, and what each language pays.

`texts` reads the declarations, `atlas` counts their tokens, `record` keeps the counts, `rows` sorts and filters them,
`premiums` sums them up by script and by tokenizer, `published` compares them with those of the literature.
"""
