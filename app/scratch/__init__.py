"""Tokenizer algorithms in plain Python, one idea a file. Read them in this order:

1. `characters`: a token is a character.
2. `bytes`: a token is a byte of UTF-8.
3. `words`: a token is a word, and the vocabulary grows with the text.
4. `pretokenize`: a regular expression splits a text into pre-tokens, before any subword algorithm runs.
5. `bpe`: merge the adjacent pair of lowest rank, until no pair has a rank.
6. `learn_bpe`: count adjacent pairs, merge the most frequent, count again.
7. `wordpiece`: take the longest token that matches, from the left.
8. `learn_wordpiece`: as `learn_bpe`, but divide the count of a pair by the counts of its parts.
9. `longest_match`: the same over bytes, with all tokens in one tree (a trie).
10. `unigram`: of all segmentations, the one with the most probable tokens (Viterbi).
11. `learn_unigram`: start with many tokens, estimate their probabilities (EM), prune the least useful.

Each encoder and learner is a generator that pauses at every step, with a `yield` right where the step was made.
`fast` gives the same results quickly, and `compat` reproduces what particular libraries do to a text.
"""
