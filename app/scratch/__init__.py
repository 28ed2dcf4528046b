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

Around them:

- `embedding`: what a model does with an id, and why it sees no letters.
- `token_vectors`: rows of tokens that occur in the same places, by counts and a singular value decomposition.
- `learn_words`: a vocabulary of words, counted from a corpus, with special tokens and the unknown.
- `byte_fallback`: a piece that is not in the vocabulary as its bytes, and why half a character has to wait.
- `decode`: tokens back to text, where spaces are marked by `</w>`, `##`, ▁, or not at all.
- `recover_characters`: the most characters that can be read from bytes of which some are missing.
- `sample_unigram`: the n best segmentations of a word, and another one of them drawn each time.
- `incremental_bpe`: as `learn_bpe`, with an index of pairs and a heap, so that a merge looks at few words.
- `chunked_counts`: words of a large text counted in chunks, which are cut where no word can be.
- `superwords`: merges that cross words once a vocabulary has a certain size (SuperBPE).
- `bpe_dropout`: merges that are left out at random, so that a word has many segmentations.
- `likelihood_gain`: what a merge adds to the likelihood of a corpus, beside the score of WordPiece.
- `padding`: sequences of several lengths as one rectangle of ids, with an attention mask.
- `sentencepiece`: a space as ▁, and what normalization loses.
- `pipeline`: the stages of a tokenizer in order, of which the model is one.
- `special_tokens`: matched before all else, written by a template, and spelled by others.
- `tiktoken_program`: what is around the merges of tiktoken: refused and parsed special tokens, look-ups.
- `digits`: numbers in groups of digits, from the left or from the right, and whether the columns of a sum align.
- `code_parts`: the parts of source code, and how many tokens each kind of them costs.
- `next_token`: a model that counts which token follows, and what a cut does to its prediction.
- `next_byte`: the exact probability of the next byte, summed over all lists of tokens that spell a text.
- `premium`: how many times as many tokens a language takes as English, and what follows from that.
- `context_costs`: what a text costs in several models, and how many pages of it a context window holds.
- `language_shares`: how often each language is drawn while a vocabulary is learned.
- `vocabulary_size`: what a larger vocabulary costs in parameters and saves in length, and which size is best.
- `measures`: five numbers that judge a tokenizer, each of which a bad one can win.
- `extending`: new tokens, or new merges, for a vocabulary that a model has already.
- `reachable`: which tokens their own text does not give.
- `untrained_rows`: rows of tokens that the text of a model does not have, and how one finds them.
- `byte_entropy`: how unsure a small model is of the next byte.
- `hash_characters`: vectors of characters without a list of them: a row of each of a few small tables (CANINE).
- `patching`: where a patch of bytes begins, by that or by other rules.
- `byte_latent`: how bytes reach the vectors of patches, and how patches reach the bytes that are written.
- `patch_operations`: what a byte of text costs a model of patches, and one of tokens.
- `growing_text`: what a longer text does to the tokens of its beginning.
- `image_patches`: an image as squares of pixels, each of which is a token.
- `mel`: a sound as a spectrum every ten milliseconds, in bands.
- `rvq`: codebooks that each describe what the last ones missed.
- `one_sequence`: text, pictures and sound as positions that a model reads in the same way.
- `dct_tokens`: movements of a robot as frequencies, rounded and merged (FAST).
- `concepts`: sentences as the units of a model, long ones in parts.
- `pattention`: parameters as tokens that the input attends to, and how a layer grows (TokenFormer).
- `budget`: text, images and sounds of a prompt in one context.
- `history`: the same text through a tokenizer of each kind, by year.

Each encoder and learner is a generator that pauses at every step, with a `yield` right where the step was made.
`fast` gives the same results quickly, and `compat` reproduces what particular libraries do to a text.
"""
