"""What the libraries do beyond the algorithms: normalization, pre-tokenization, decoding, each equal to its library.

- Hugging Face `tokenizers`: `pipeline` and its stages `added_tokens`, `normalizers`, `pre_tokenizers`, `word_models`,
  `post_processors`, `decoders`; `aligned` keeps the spans. `bands` and `decoders` keep what each stage did;
  `batches` has truncation and padding. `component` is what all components have in common, `components` lists them.
- Google `sentencepiece`: `sentencepiece`, with `encode`, its models, `trace`, `scripts`, and `charsmap`, the compiled
  normalization rules of a model.
- both: `unicode_versions`, the tables they are built on.
"""
