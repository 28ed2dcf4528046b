"""The model card tells what was done and how each file is loaded: its own lines are run."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest
from tokenarium.files.minbpe import load_minbpe
from tokenarium.lab.train.metadata import model_card as card

from tests.support.shelves import ACCOUNT, files, small, tokenizer
from tests.support.vocabularies import learned

MINBPE = '''"""Reads the file and merges by it, as the package of this name does."""
from tokenarium.files.from_scratch import minbpe
from tokenarium.files.minbpe import load_minbpe
from tokenarium.types import TokenizerInfo


class BasicTokenizer:
    def load(self, name):
        with open(name, "rb") as file:
            model = load_minbpe(file.read())
        self.pattern = model.pattern
        self.read = minbpe(TokenizerInfo("", "", "bpe", (), None, True), model=model)

    def encode(self, text):
        return self.read.encode(text).ids.tolist()


class RegexTokenizer(BasicTokenizer):
    """Like the package's: load() sets the pattern, and encode() splits by another one until that is compiled."""

    def encode(self, text, allowed_special="none_raise"):
        assert self.compiled_pattern.pattern == self.pattern
        return super().encode(text)
'''


@pytest.mark.parametrize(
    "kind",
    [
        *("bytes as GPT-4", "marked", "unigram with bytes"),
        *(pytest.param(kind, marks=pytest.mark.nightly) for kind in ("bytes", "bytes of a whole text")),
    ],
)
def test_every_file_is_loaded_by_the_lines_of_the_card(tmp_path, kind):
    made = files(learned(kind))
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "minbpe.py").write_text(MINBPE)
    snippets = re.findall(r"```python\n(.*?)```", card(learned(kind), ACCOUNT, made), re.DOTALL)
    assert len(snippets) == len(made) + 1
    code = "\n".join(["import sys", "sys.path.insert(0, '')", *snippets])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": f"{tmp_path}:{sys.path[0] or '.'}", "PATH": "", "TRANSFORMERS_VERBOSITY": "error"},
    )
    assert done.returncode == 0, done.stderr
    expected = str(tokenizer(learned(kind)).encode("Hello, world").ids.tolist())
    assert done.stdout.splitlines() == [expected] * len(snippets)


def test_it_tells_the_corpus_the_settings_and_the_metrics():
    one = small((97, 98), special=("<|end|>",))
    told = card(one, ACCOUNT, ())
    for line in (
        "# Shan, 300 pieces",
        "| Vocabulary size | 258 |",
        '| Special tokens | `"<\\|end\\|>"` |',
        "| Corpus | UDHR in Shan, 12,345 bytes |",
        f"| SHA-256 of the corpus | `{'ab' * 32}` |",
        "| Trained by | tokenarium 0.1.0 |",
        "| Date | 2026-11-21 |",
        "| size | `300` |",
        "| saved | `0.5` |",
    ):
        assert line in told.splitlines()
    versions = card(one, replace(ACCOUNT, trainer="sentencepiece"), ())
    assert "| Trained by | tokenarium 0.1.0, sentencepiece 0.2.3 |" in versions.splitlines()


def test_nothing_that_is_told_becomes_markup():
    odd = replace(ACCOUNT, title="<b>*a*\n# b</b>", corpus="a | b `c` [d](e)", settings={"`x`\n|": "a|b\n```\n# c"})
    told = card(small(), odd, ()).splitlines()
    assert told[0] == r"# \<b\>\*a\* # b\</b\>"
    assert r"| Corpus | a \| b \`c\` \[d\]\(e\), 12,345 bytes |" in told
    assert r'| \`x\` \| | ```` "a\|b\n```\n# c" ```` |' in told
    assert [line for line in told if line.startswith("#")] == [told[0], "## Settings", "## Metrics"]


def test_minbpe_reads_what_the_card_says_it_does():
    assert load_minbpe(files(learned("bytes of a whole text"))["minbpe.model"]).pattern == ""
