"""What the libraries do beyond the algorithms: normalization, pre-tokenization, decoding, each equal to its library.

- Hugging Face `tokenizers`: `pipeline` and its stages `added_tokens`, `normalizers`, `pre_tokenizers`, `word_models`,
  `post_processors`, `decoders`; `aligned` keeps the spans. `bands` and `decode_bands` keep what each stage did;
  `batches` has truncation and padding. `component` is what all components have in common, `components` lists them.
- Google `sentencepiece`: `encode`, whose models are `bpe` and `unigram_batch`; `trace`, `scripts`, and `charsmap`, the
  compiled normalization rules of a model.
- both: `unicode_forms` and `unicode_versions`, the tables they are built on.
"""
