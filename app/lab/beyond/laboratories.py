"""The laboratories beyond sub-words: what becomes a token in each, where its page is, and its questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from ...errors import plural
from ..learn.scene import AnswerChoice, Question, draw_choices
from .actions.analysis import ActionAnalysis
from .concepts import ConceptStudy
from .parameters.layer import RULES
from .sound_view import SoundView

SHARES = (0.1, 0.25, 0.5, 1.0)
"""Shares of the numbers of a movement that are offered as its tokens."""


@dataclass(frozen=True, slots=True)
class Laboratory:
    """A page below `/beyond`: its address, its name, what it shows in a sentence, and the models that do it."""

    address: str
    title: str
    shows: str
    models: str


LABORATORIES = (
    Laboratory(
        "/beyond/bytes",
        "Bytes and patches",
        "A small model predicts each byte; where it is unsure, a new patch begins.",
        "ByT5, MegaByte, SpaceByte, BLT",
    ),
    Laboratory(
        "/beyond/pictures",
        "Pictures",
        "A picture is cut into patches or tiles, and each model counts them by a rule of its own.",
        "ViT, GPT-4o, Claude, Gemini, Qwen-VL, Pixtral",
    ),
    Laboratory(
        "/beyond/sound",
        "Sound",
        "A spectrum every ten milliseconds, and codebooks that each describe what the last ones missed.",
        "Whisper, SoundStream, EnCodec, Mimi",
    ),
    Laboratory(
        "/beyond/actions",
        "Actions",
        "The path of a robot’s arm becomes frequencies, rounded, and then merged like text.",
        "FAST",
    ),
    Laboratory(
        "/beyond/concepts",
        "Concepts",
        "A sentence as one unit: how much shorter a text becomes when a model reads whole sentences.",
        "Large Concept Models",
    ),
    Laboratory(
        "/beyond/parameters",
        "Parameters",
        "The weights of a layer as tokens that its input attends to, so that the layer can grow.",
        "TokenFormer",
    ),
    Laboratory(
        "/beyond/budget",
        "One budget",
        "Text, pictures, sound and video of one prompt together: tokens, share of the context, cost.",
        "All of them",
    ),
)
"""All laboratories, in the order of the page."""


def _ask(prompt: str, right: AnswerChoice, wrong: Sequence[AnswerChoice], about: object) -> Question:
    labels = {right.label: right}
    for choice in wrong:
        labels.setdefault(choice.label, choice)
    return draw_choices(Question((prompt,), tuple(labels.values()), near=False), Random(repr(about)))


def _choice(label: str, reason: str, *, right: bool = False, value: str = "") -> AnswerChoice:
    return AnswerChoice((label,), right, reason, value or label)


def ask_tokens(shown: ActionAnalysis) -> Question:
    """Return the question how many tokens a movement becomes; the wrong numbers are clearly wrong."""
    size = shown.series.size
    right = shown.measured.tokens
    reason = (
        f"{shown.zeros} of the {size:,} coefficients are 0 after rounding, and runs of zeros merge into few tokens."
    )
    few = "That is far too few: what is left of the movement takes more."
    many = "That is far too many: the zeros merge."
    naive = "One token for each number is naive binning."
    wrong = [
        _choice(f"{number}", few if number < right else many if number < size else naive)
        for number in sorted({*(max(1, round(share * size)) for share in SHARES), 2 * right, max(1, right // 2)})
        if not 0.67 < number / right < 1.5
    ]
    prompt = f"These are {plural(size, 'number')}. How many tokens will they be at scale {shown.scale:g}?"
    return _ask(prompt, _choice(f"{right}", reason, right=True), wrong, (size, right, shown.zeros))


def ask_sentences(shown: ConceptStudy) -> Question:
    """Return the question how many sentences the library finds."""
    text = shown.question.text
    signs = sum(text.count(sign) for sign in ".!?。！？।؟")
    lines = sum(bool(line.strip()) for line in text.splitlines())
    right = shown.sentences
    wrong = [
        _choice(f"{signs}", "You counted punctuation marks, but not every one ends a sentence."),
        _choice(f"{lines}", "You counted lines. A line can hold several sentences."),
        _choice(f"{right + 1}", "That is one too many."),
        _choice(f"{max(1, right - 1)}", "That is one too few."),
        _choice(f"{right + 2}", "That is two too many."),
    ]
    found = plural(right, "sentence")
    reason = f"It finds {found}. That is its opinion: it errs where it does not know an abbreviation."
    wrong = [choice for choice in wrong if choice.label != ("0",)]
    return _ask("How many sentences will the library find?", _choice(f"{right}", reason, right=True), wrong, text)


def ask_growth(seed: int, pairs: int, more: int) -> Question:
    """Return the question which weights leave the output of a layer as it was when it grows."""
    reasons = {
        "kept": "A zero key has score 0, GeLU of 0 is 0, and the factor before it is the old one.",
        "rescaled": "The factor grows with the number of pairs and multiplies the old scores, whose weights change.",
        "softmax": "Softmax gives a score of 0 a share, which all others lose.",
    }
    right, *wrong = (_choice(name, reasons[rule], right=rule == "kept", value=rule) for rule, name in RULES.items())
    grown = f"{plural(more, 'pair')} with zero keys {'is' if more == 1 else 'are'} added."
    prompt = f"{grown} With which weights does the output stay exactly as it was?"
    return _ask(prompt, right, wrong, (seed, pairs, more))


def ask_doubling(model: str, before: int, after: int) -> Question:
    """Return the question how many times the tokens of a picture grow when both of its sides double."""
    times = f"{after / before if before else 0:.1f}"
    if times == "1.0":
        why = "The picture is made smaller first, so that more pixels are not seen."
    elif times == "4.0":
        why = "Four times the area has four times the patches."
    else:
        why = "A limit, or an edge that is rounded up, comes in between."
    reasons = {
        "1.0": "More pixels are seen here.",
        "2.0": "Both sides double, so that the area is four times as large.",
        "4.0": "The area is four times as large, but a limit comes in between.",
        "8.0": "The area is only four times as large.",
    }
    reason = f"{plural(before, 'token')} become{'s' * (before == 1)} {after:,}. {why}"
    wrong = [_choice(_times(number), why, value=number) for number, why in reasons.items() if number != times]
    right = _choice(_times(times), reason, right=True, value=times)
    prompt = f"Twice as wide and twice as high: how many times as many tokens does {model} count?"
    return _ask(prompt, right, wrong, (model, before, after))


def _times(number: str) -> str:
    return f"{number.removesuffix('.0')} ×"


def ask_codebooks(view: SoundView) -> Question | None:
    """Return the question how well all codebooks describe unseen sound; None if that cannot be said."""
    first, last = view.levels[0].held_out, view.levels[-1].held_out
    if first is None or last is None:
        return None
    right = round(last)
    reason = f"They reach {last:.1f} dB. Each describes what is left, which looks ever more like noise and gives less."
    offered = {
        round(8 * first): "Eight times as many codebooks do not describe eight times as much: each finds less to add.",
        round(first): "That is one codebook alone; the others add to it.",
        2 * right + 1: "That is more than they reach on sound that they have not seen.",
        right + 3: "That is a little more than they reach.",
        max(0, right - 3): "That is a little less than they reach.",
    }
    wrong = [_choice(f"{number} dB", why, value=f"{number}") for number, why in offered.items() if number != right]
    prompt = f"One codebook reaches {first:.1f} dB on unseen sound. What do all {len(view.levels)} reach?"
    return _ask(prompt, _choice(f"{right} dB", reason, right=True, value=f"{right}"), wrong, (first, last))
