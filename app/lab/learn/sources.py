"""The publications that the course cites."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A publication: its authors, year and title, and an identifier by which anybody finds it."""

    authors: str
    year: int
    title: str
    identifier: str

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
    "gage-1994": Source("Philip Gage", 1994, "A New Algorithm for Data Compression", "C Users Journal 12(2), 23–38"),
    "schuster-2012": Source(
        "Mike Schuster, Kaisuke Nakajima", 2012, "Japanese and Korean Voice Search", "doi:10.1109/ICASSP.2012.6289079"
    ),
    "sennrich-2016": Source(
        "Rico Sennrich, Barry Haddow, Alexandra Birch",
        2016,
        "Neural Machine Translation of Rare Words with Subword Units",
        "arXiv:1508.07909",
    ),
    "kudo-2018": Source(
        "Taku Kudo",
        2018,
        "Subword Regularization: Improving Neural Network Translation Models with Multiple Subword Candidates",
        "arXiv:1804.10959",
    ),
    "kudo-richardson-2018": Source(
        "Taku Kudo, John Richardson",
        2018,
        "SentencePiece: A simple and language independent subword tokenizer and detokenizer for Neural Text Processing",
        "arXiv:1808.06226",
    ),
    "devlin-2019": Source(
        "Jacob Devlin, Ming-Wei Chang, Kenton Lee, Kristina Toutanova",
        2019,
        "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
        "arXiv:1810.04805",
    ),
    "radford-2019": Source(
        "Alec Radford, Jeffrey Wu, Rewon Child, David Luan, Dario Amodei, Ilya Sutskever",
        2019,
        "Language Models are Unsupervised Multitask Learners",
        "OpenAI technical report",
    ),
    "touvron-2023": Source(
        "Hugo Touvron and others", 2023, "LLaMA: Open and Efficient Foundation Language Models", "arXiv:2302.13971"
    ),
    "xue-2022": Source(
        "Linting Xue and others",
        2022,
        "ByT5: Towards a Token-Free Future with Pre-trained Byte-to-Byte Models",
        "arXiv:2105.13626",
    ),
    "unicode-17": Source(
        "The Unicode Consortium",
        2025,
        "The Unicode Standard, Version 17.0",
        "https://www.unicode.org/versions/Unicode17.0.0/",
    ),
    "rfc-3629": Source("François Yergeau", 2003, "UTF-8, a transformation format of ISO 10646", "RFC 3629"),
    "vaswani-2017": Source("Ashish Vaswani and others", 2017, "Attention Is All You Need", "arXiv:1706.03762"),
}
"""All publications by id."""
