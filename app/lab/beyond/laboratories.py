"""The laboratories beyond sub-words: what becomes a token in each, and where its page is."""

from dataclasses import dataclass


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
        "A picture is cut into patches or tiles, and each model counts them in its own way.",
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
