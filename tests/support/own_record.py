"""A small tokenizer for surgery."""

from functools import cache

from tokenarium.files.records import record_from_files
from tokenarium.lab.train.options import TrainingOptions
from tokenarium.lab.train.training import train

from tests.support.corpora import ENGLISH
from tests.support.strings import NASTY


@cache
def own(unit="bytes"):
    """A vocabulary of 600 tokens that was trained on English, in which loading takes no time."""
    how = {"engine": "sentencepiece", "byte_fallback": True} if unit == "fallback" else {"unit": unit}
    texts = [ENGLISH, "Привет, все люди рождаются свободными и равными", " ".join(NASTY.values())]
    *_, trained = train(texts, TrainingOptions(size=600, pattern="spaces", **how))
    return record_from_files("mine", {"tokenizer.json": trained.exports.files["tokenizer.json"]}, title="Mine")
