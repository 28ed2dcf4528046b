"""train-bytes: train the byte model of the page /beyond/bytes, and measure it on articles that it has not seen."""

import argparse

from ..lab.beyond.byte_model import figures, save, train
from ..settings import Settings

PRINTED_LANGUAGES = ("eng", "fra", "rus", "arb", "jpn")


def options(parser: argparse.ArgumentParser) -> None:
    """Add no option."""


def run(args: argparse.Namespace) -> None:
    """Train the model, save it with the figures of all languages, and print those of some."""
    store = Settings.from_env().store
    model = train(store)
    measured = [*figures(model, store)]
    size = save(store, model, measured)
    print("language    bits per byte    bytes per patch: global 1.335  monotonic 0.5")
    for one in measured:
        if one.code in PRINTED_LANGUAGES:
            print(f"{one.code:10} {one.bits_per_byte:14.2f} {one.global_1335:30.2f} {one.monotonic_05:14.2f}")
    print(f"{len(measured)} languages measured; the model and its figures take {size:,} bytes.")
