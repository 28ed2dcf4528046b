"""The publications that the course cites."""

import re
from dataclasses import dataclass

ORGANIZATION = re.compile(r"\b(?:Consortium|Assembly|UN)\b")


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication: its authors, year and title, and an identifier by which anybody finds it."""

    authors: str
    year: int
    title: str
    identifier: str

    @property
    def short(self) -> str:
        """The name by which it is cited: the last name of the first author, or the whole name of an organization.

        >>> SOURCES["sennrich-2016"].short, SOURCES["xue-2022"].short, SOURCES["unicode-17"].short
        ('Sennrich', 'Xue', 'The Unicode Consortium')
        """
        first = self.authors.removesuffix(" and others").partition(",")[0]
        return first if ORGANIZATION.search(first) else first.rpartition(" ")[2]

    @property
    def address(self) -> str:
        """Its address, where the identifier makes one.

        >>> SOURCES["sennrich-2016"].address
        'https://arxiv.org/abs/1508.07909'
        """
        kind, _, number = self.identifier.partition(":")
        known = {
            "arXiv": f"https://arxiv.org/abs/{number}",
            "doi": f"https://doi.org/{number}",
            "https": self.identifier,
        }
        return known.get(kind, "")


SOURCES = {
    "gage-1994": Publication(
        "Philip Gage", 1994, "A New Algorithm for Data Compression", "C Users Journal 12(2), 23–38"
    ),
    "schuster-2012": Publication(
        "Mike Schuster, Kaisuke Nakajima", 2012, "Japanese and Korean Voice Search", "doi:10.1109/ICASSP.2012.6289079"
    ),
    "sennrich-2016": Publication(
        "Rico Sennrich, Barry Haddow, Alexandra Birch",
        2016,
        "Neural Machine Translation of Rare Words with Subword Units",
        "arXiv:1508.07909",
    ),
    "kudo-2018": Publication(
        "Taku Kudo",
        2018,
        "Subword Regularization: Improving Neural Network Translation Models with Multiple Subword Candidates",
        "arXiv:1804.10959",
    ),
    "kudo-richardson-2018": Publication(
        "Taku Kudo, John Richardson",
        2018,
        "SentencePiece: A simple and language independent subword tokenizer and detokenizer for Neural Text Processing",
        "arXiv:1808.06226",
    ),
    "devlin-2019": Publication(
        "Jacob Devlin, Ming-Wei Chang, Kenton Lee, Kristina Toutanova",
        2019,
        "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
        "arXiv:1810.04805",
    ),
    "radford-2019": Publication(
        "Alec Radford, Jeffrey Wu, Rewon Child, David Luan, Dario Amodei, Ilya Sutskever",
        2019,
        "Language Models are Unsupervised Multitask Learners",
        "OpenAI technical report",
    ),
    "touvron-2023": Publication(
        "Hugo Touvron and others", 2023, "LLaMA: Open and Efficient Foundation Language Models", "arXiv:2302.13971"
    ),
    "xue-2022": Publication(
        "Linting Xue and others",
        2022,
        "ByT5: Towards a Token-Free Future with Pre-trained Byte-to-Byte Models",
        "arXiv:2105.13626",
    ),
    "chen-2021": Publication(
        "Mark Chen and others", 2021, "Evaluating Large Language Models Trained on Code", "arXiv:2107.03374"
    ),
    "petrov-2023": Publication(
        "Aleksandar Petrov, Emanuele La Malfa, Philip H. S. Torr, Adel Bibi",
        2023,
        "Language Model Tokenizers Introduce Unfairness Between Languages",
        "arXiv:2305.15425",
    ),
    "ahia-2023": Publication(
        "Orevaoghene Ahia and others",
        2023,
        "Do All Languages Cost the Same? Tokenization in the Era of Commercial Language Models",
        "arXiv:2305.13707",
    ),
    "udhr-1948": Publication(
        "UN",
        1948,
        "Universal Declaration of Human Rights, resolution 217 A (III) of the General Assembly",
        "https://www.un.org/en/about-us/universal-declaration-of-human-rights",
    ),
    "press-2017": Publication(
        "Ofir Press, Lior Wolf", 2017, "Using the Output Embedding to Improve Language Models", "arXiv:1608.05859"
    ),
    "tao-2024": Publication(
        "Chaofan Tao and others",
        2024,
        "Scaling Laws with Vocabulary: Larger Models Deserve Larger Vocabularies",
        "arXiv:2407.13623",
    ),
    "rust-2021": Publication(
        "Phillip Rust, Jonas Pfeiffer, Ivan Vulić, Sebastian Ruder, Iryna Gurevych",
        2021,
        "How Good is Your Tokenizer? On the Monolingual Performance of Multilingual Language Models",
        "arXiv:2012.15613",
    ),
    "zouhar-2023": Publication(
        "Vilém Zouhar and others", 2023, "Tokenization and the Noiseless Channel", "arXiv:2306.16842"
    ),
    "cognetta-2024": Publication(
        "Marco Cognetta, Vilém Zouhar, Sangwhan Moon, Naoaki Okazaki",
        2024,
        "Two Counterexamples to Tokenization and the Noiseless Channel",
        "arXiv:2402.14614",
    ),
    "hewitt-2021": Publication(
        "John Hewitt",
        2021,
        "Initializing New Word Embeddings for Pretrained Language Models",
        "https://nlp.stanford.edu/~johnhew/vocab-expansion.html",
    ),
    "dagan-2024": Publication(
        "Gautier Dagan, Gabriel Synnaeve, Baptiste Rozière",
        2024,
        "Getting the most out of your tokenizer for pre-training and domain adaptation",
        "arXiv:2402.01035",
    ),
    "land-2024": Publication(
        "Sander Land, Max Bartolo",
        2024,
        "Fishing for Magikarp: Automatically Detecting Under-trained Tokens in Large Language Models",
        "arXiv:2405.05417",
    ),
    "rumbelow-2023": Publication(
        "Jessica Rumbelow, Matthew Watkins",
        2023,
        "SolidGoldMagikarp (plus, prompt generation)",
        "https://www.lesswrong.com/posts/aPeJE8bSo6rAFoLqg/solidgoldmagikarp-plus-prompt-generation",
    ),
    "tiktoken-2022": Publication("OpenAI", 2022, "tiktoken", "https://github.com/openai/tiktoken"),
    "pagnoni-2024": Publication(
        "Artidoro Pagnoni and others",
        2024,
        "Byte Latent Transformer: Patches Scale Better Than Tokens",
        "arXiv:2412.09871",
    ),
    "yu-2023": Publication(
        "Lili Yu and others",
        2023,
        "MEGABYTE: Predicting Million-byte Sequences with Multiscale Transformers",
        "arXiv:2305.07185",
    ),
    "slagle-2024": Publication(
        "Kevin Slagle",
        2024,
        "SpaceByte: Towards Deleting Tokenization from Large Language Modeling",
        "arXiv:2404.14408",
    ),
    "lcm-2024": Publication(
        "Loïc Barrault and others",
        2024,
        "Large Concept Models: Language Modeling in a Sentence Representation Space",
        "arXiv:2412.08821",
    ),
    "frohmann-2024": Publication(
        "Markus Frohmann and others",
        2024,
        "Segment Any Text: A Universal Approach for Robust, Efficient and Adaptable Sentence Segmentation",
        "arXiv:2406.16678",
    ),
    "singh-2024": Publication(
        "Aaditya K. Singh, DJ Strouse",
        2024,
        "Tokenization counts: the impact of tokenization on arithmetic in frontier LLMs",
        "arXiv:2402.14903",
    ),
    "pertsch-2025": Publication(
        "Karl Pertsch and others",
        2025,
        "FAST: Efficient Action Tokenization for Vision-Language-Action Models",
        "arXiv:2501.09747",
    ),
    "wang-2024": Publication(
        "Haiyang Wang and others",
        2024,
        "TokenFormer: Rethinking Transformer Scaling with Tokenized Model Parameters",
        "arXiv:2410.23168",
    ),
    "unicode-17": Publication(
        "The Unicode Consortium",
        2025,
        "The Unicode Standard, Version 17.0",
        "https://www.unicode.org/versions/Unicode17.0.0/",
    ),
    "dosovitskiy-2020": Publication(
        "Alexey Dosovitskiy and others",
        2020,
        "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale",
        "arXiv:2010.11929",
    ),
    "zeghidour-2021": Publication(
        "Neil Zeghidour, Alejandro Luebs, Ahmed Omran, Jan Skoglund, Marco Tagliasacchi",
        2021,
        "SoundStream: An End-to-End Neural Audio Codec",
        "arXiv:2107.03312",
    ),
    "radford-2022": Publication(
        "Alec Radford, Jong Wook Kim, Tao Xu, Greg Brockman, Christine McLeavey, Ilya Sutskever",
        2022,
        "Robust Speech Recognition via Large-Scale Weak Supervision",
        "arXiv:2212.04356",
    ),
    "rfc-3629": Publication("François Yergeau", 2003, "UTF-8, a transformation format of ISO 10646", "RFC 3629"),
    "vaswani-2017": Publication("Ashish Vaswani and others", 2017, "Attention Is All You Need", "arXiv:1706.03762"),
}
"""All publications by id."""
