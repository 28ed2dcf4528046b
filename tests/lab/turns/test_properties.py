"""The table template × property, on one conversation: what is lost, what is kept, how arguments are written."""

import pytest
from tokenarium.lab.turns.properties import LostIds, examine_template

Q = "reasoning kept: own turn, in the loop, later"
ROWS = {
    "qwen3": ((0, 243), (105, 348), (119, 362), (0, 0, 0, 0, 0), (True, True, False)),
    "qwen3.5": ((0, 363), (134, 495), (147, 508), (0, 0, 0, 0, 0), (True, True, False)),
    "glm-4.6": ((0, 260), (78, 340), (89, 351), (0, 0, 0, 0, 0), (True, True, False)),
    "gpt-oss-120b": ((0, 165), (102, 267), (16, 265), (0, 0, 102, 0, 53), (True, True, False)),
    "mistral-v3": ((0, 167), (293, 294), (301, 302), (0, 0, 0, 0, 0), (False, False, False)),
}
