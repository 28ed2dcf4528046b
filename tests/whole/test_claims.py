"""What the course calls computed holds: each claim, and what each text that breaks a scene is said to show."""

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from tokenarium.lab.beyond.budget import budget, budget_model
from tokenarium.lab.beyond.byte_model import load
from tokenarium.lab.beyond.image_tokens import IMAGE_MODELS, image_tokens
from tokenarium.lab.languages.declarations import declarations
from tokenarium.lab.learn.budget import parse_prompt
from tokenarium.lab.learn.course import SCENES
from tokenarium.lab.learn.next_token import training_text
from tokenarium.lab.learn.program import cut
from tokenarium.lab.learn.scene import to_plain_text, trace_scene
from tokenarium.lab.learn.untrained import learn_text
from tokenarium.lab.metrics import renyi_efficiency
from tokenarium.lab.steps.patterns import expression
from tokenarium.scratch.dct_tokens import Flattened, iter_stages, read_levels
from tokenarium.scratch.hash_characters import iter_rows
from tokenarium.scratch.pattention import attend, weigh_by_length
from tokenarium.scratch.pretokenize import pretokenize
from tokenarium.scratch.untrained_rows import alike, iter_moves
from tokenarium.settings import Settings

BY_ID = {one.id: one for one in SCENES}
CLAIMS: dict[tuple[str, str], Callable[..., bool]] = {}
"""Checks of claims and of texts that break a scene, by scene and by the beginning of the sentence."""


def holds(id, beginning):
    def add(check):
        CLAIMS[id, beginning] = check
        return check

    return add


class Shown:
    """What a scene shows for a text: its steps, their sentences, the cells of their tables and the tokens of rows."""

    def __init__(self, registry, id, text=None):
        one = BY_ID[id]
        trace = trace_scene(one, one.text if text is None else text, registry)
        self.steps, self.question = trace.steps, trace.question
        self.sentences = [to_plain_text(step.text) for step in trace.steps]

    def table(self, at=-1):
        tables = [step.table for step in self.steps if step.table]
        return [
            [cell if isinstance(cell, str) else to_plain_text(cell) for cell in row.cells] for row in tables[at].rows
        ]

    def row(self, label, at=-1):
        (row,) = (row for row in self.steps[at].rows if row.label == label)
        return [tile.text for tile in row.tiles]

    def rows(self, at=-1):
        return [[tile.text for tile in row.tiles] for row in self.steps[at].rows]


def ids(registry, tokenizer, text):
    return registry.get(tokenizer, "scratch").encode(text).ids.tolist()


def back(registry, tokenizer, text):
    return registry.get(tokenizer, "scratch").decode(ids(registry, tokenizer, text)).decode(errors="replace")


def pieces(registry, tokenizer, text):
    return [registry.get(tokenizer, "scratch").entry(id).piece for id in ids(registry, tokenizer, text)]


@holds("ids", "A language model does not see letters.")
def _(registry):
    return all(text.isdecimal() for text in Shown(registry, "ids").row("model"))


@holds("ids", "A space inside")
def _(registry):
    return not {*ids(registry, "o200k_base", "straw berry")} >= {*ids(registry, "o200k_base", "strawberry")}


@holds("ids", "Capital letters")
def _(registry):
    return len(ids(registry, "o200k_base", "STRAWBERRY")) > len(ids(registry, "o200k_base", "strawberry"))


@holds("bytes", "The price of bytes is length")
def _(registry):
    texts = {code: declarations(Settings().store)[code].text for code in ("rus", "hin", "jpn")}
    ratios = {code: round(len(text.encode()) / len(text), 1) for code, text in texts.items()}
    return ratios == {"rus": 1.8, "hin": 2.6, "jpn": 2.9}


@holds("bytes", "They look the same.")
def _(registry):
    return [len(part) for part in ("é", "e\u0301")] == [1, 2]


@holds("bytes", "One picture, five code points, eighteen bytes.")
def _(registry):
    (shown,) = (one.text for one in BY_ID["bytes"].broken if "five code points" in one.shows)
    return (len(shown), len(shown.encode())) == (5, 18)


@holds("words", "A vocabulary of words")
def _(registry):
    told = [
        re.search(r"occurs? (\d+) times?(?: each)?: (it gets the id|they get the ids|too rare)", text)
        for text in Shown(registry, "words").sentences
    ]
    return {(int(found[1]) >= 2, found[2]) for found in told if found} == {
        (True, "it gets the id"),
        (True, "they get the ids"),
        (False, "too rare"),
    }


@holds("words", "Forms of a word")
def _(registry):
    rows = Shown(registry, "words", BY_ID["words"].broken[0].text).table(1)
    return {"walk", "walked"} <= {row[0] for row in rows}


@holds("words", "Without spaces")
def _(registry):
    return "[UNK]" in Shown(registry, "words", BY_ID["words"].broken[1].text).rows()[-2]


@holds("learn-bpe", "A published walk-through")
def _(registry):
    shown = Shown(registry, "learn-bpe", "aabacaacbacb")
    return shown.sentences[1:4:2] == ["The most frequent pair is ac.", "The most frequent pair is bac."]


@holds("learn-bpe", "No pair occurs twice")
def _(registry):
    return Shown(registry, "learn-bpe", "abcdefgh").sentences[-1].startswith("No pair occurs twice: training ends")


@holds("bpe", "BPE can make a token")
def _(registry):
    shown = Shown(registry, "bpe", "seaside")
    return shown.row("BPE") == ["se", "as", "ide"] and shown.row("longest") == ["sea", "side"]


@holds("bpe", "A frequent word")
def _(registry):
    return Shown(registry, "bpe", "the").row("BPE") == ["the"]


@holds("bpe", "Letters that are rarely")
def _(registry):
    return len(Shown(registry, "bpe", "qxzjw").row("BPE")) >= 4


@holds("pretokenize", "Before any merge")
def _(registry):
    text = BY_ID["pretokenize"].text
    words = [word for _, word in pretokenize(text, expression("o200k"))]
    return [token for word in words for token in ids(registry, "o200k_base", word)] == ids(registry, "o200k_base", text)


@holds("pretokenize", "GPT-2 knows contractions")
def _(registry):
    shown = Shown(registry, "pretokenize", "I'LL PAY")
    return shown.row("GPT-2") == ["I", "'", "LL", " PAY"] and shown.row("GPT-4o") == ["I'LL", " PAY"]


@holds("pretokenize", "GPT-2 takes it whole")
def _(registry):
    shown = Shown(registry, "pretokenize", "1234567")
    return [shown.row(model) for model in ("GPT-2", "GPT-4", "Qwen 3")] == [
        ["1234567"],
        ["123", "456", "7"],
        [*"1234567"],
    ]


@holds("new-word", "A list of merges is all")
def _(registry):
    shown = Shown(registry, "new-word")
    return "newest" not in BY_ID["new-word"].text.split()[:-1] and shown.rows()[-1] == ["new", "est"]


@holds("new-word", "The list makes sea")
def _(registry):
    shown = Shown(registry, "new-word", "as 5\nsea 3\nseas")
    return [row[2] for row in shown.table()] == ["as", "se", "sea"] and shown.rows()[-1] == ["se", "as"]


@holds("new-word", "No merge of the list fits")
def _(registry):
    return Shown(registry, "new-word", "low 5\nnew 6\nxyz").rows()[-1] == ["x", "y", "z"]


@holds("byte-fallback", "A vocabulary can begin")
def _(registry):
    text = BY_ID["byte-fallback"].text
    return back(registry, "gpt2", text) == back(registry, "mistral-v1", text).strip() == text


@holds("byte-fallback", "In both, a token can be half")
def _(registry):
    gpt2 = registry.get("gpt2", "scratch")
    return any("�" in gpt2.entry(id).raw.decode(errors="replace") for id in ids(registry, "gpt2", "🦕"))


@holds("byte-fallback", "One picture, three people")
def _(registry):
    family = BY_ID["byte-fallback"].broken[0].text
    raws = [registry.get("gpt2", "scratch").entry(id).raw for id in ids(registry, "gpt2", family)]
    ends = {sum(map(len, raws[: at + 1])) for at in range(len(raws))}
    starts = [len(family[:at].encode()) for at in (0, 2, 4)]
    return len(family) == 5 and all(ends & {start + 1, start + 2, start + 3} for start in starts)


@holds("byte-fallback", "Nothing rare in it")
def _(registry):
    return not any(piece.startswith("<0x") for piece in pieces(registry, "mistral-v1", "hello"))


@holds("wordpiece", "No token matches the snowman")
def _(registry):
    return Shown(registry, "wordpiece", "☃man").row("tokens") == ["[UNK]"]


@holds("wordpiece", "A person cuts co·worker.")
def _(registry):
    return Shown(registry, "wordpiece", "coworker").row("tokens") == ["cow", "##or", "##ker"]


@holds("learn-wordpiece", "A pair that occurs twice")
def _(registry):
    rows = Shown(registry, "learn-wordpiece", BY_ID["learn-wordpiece"].broken[0].text).table(0)
    return rows[0][:2] == ["q##u", "2"] and max(int(row[1]) for row in rows) == 170


@holds("learn-wordpiece", "No pair occurs twice")
def _(registry):
    return Shown(registry, "learn-wordpiece", "abcdefgh").sentences[-1] == "No pair occurs twice: training ends."


@holds("unigram", "A frequent word")
def _(registry):
    return float(Shown(registry, "unigram", "the").table()[0][2].rstrip(" %")) > 99


@holds("unigram", "A word that the training hardly saw")
def _(registry):
    return len(Shown(registry, "unigram", "zzzz").rows()[-1]) >= 3


@holds("learn-unigram", "Two words and no others")
def _(registry):
    shown = Shown(registry, "learn-unigram", "abab 2\nbaba 2")
    return shown.rows()[1:] == [["abab"], ["baba"]]


@holds("learn-unigram", "Nothing occurs twice")
def _(registry):
    return sorted(Shown(registry, "learn-unigram", "ab 1\ncd 1").rows(0)[0]) == ["a", "b", "c", "d"]


@holds("sampling", "One way is so probable")
def _(registry):
    return int(Shown(registry, "sampling", "the").table()[0][2]) >= 16


@holds("sampling", "T5 has no longer token")
def _(registry):
    shown = Shown(registry, "sampling", "qqq")
    return shown.question is None and len(shown.table()) == 1


@holds("sentencepiece", "What normalization changes")
def _(registry):
    return back(registry, "t5", BY_ID["sentencepiece"].text) == "The first No x2"


@holds("sentencepiece", "A typed ▁")
def _(registry):
    return back(registry, "t5", "a▁b") == "a b"


@holds("sentencepiece", "Line breaks and indentation")
def _(registry):
    return back(registry, "t5", BY_ID["sentencepiece"].broken[1].text) == "def f(x): return x"


@holds("trainers", "BPE takes the most frequent")
def _(registry):
    rules = [row[:2] for row in Shown(registry, "trainers").table(-2)]
    return rules == [
        ["BPE", "most frequent pair"],
        ["WordPiece", "pair of the highest score"],
        ["Unigram", "least loss, to remove"],
    ]


@holds("trainers", "One character: the three")
def _(registry):
    tokens = [re.sub("#+|[^a]", "", row[3]) for row in Shown(registry, "trainers", "aaaa 5\naa 3").table(-2)]
    return len({*tokens}) == 1


@holds("trainers", "Nothing is frequent")
def _(registry):
    return not any(
        "merges" in text or "removes" in text for text in Shown(registry, "trainers", "ab 1\ncd 1").sentences
    )


@holds("pipeline", "A tokenizer is a pipeline")
def _(registry):
    return back(registry, "bert-base-uncased", "Héllo WORLD") == "hello world"


@holds("pipeline", "Lower case makes")
def _(registry):
    first, _, last = ids(registry, "bert-base-uncased", "US and us")
    return first == last


@holds("pipeline", "Two words, and the second")
def _(registry):
    shown = Shown(registry, "pipeline", BY_ID["pipeline"].broken[1].text)
    return shown.row("truncate", 4)[-3:] == ["anti", "##dis", "##est"] and "5 tokens cut off" in shown.sentences[4]


@holds("special-tokens", "A chat is one text.")
@holds("special-tokens", "A program that renders first")
def _(registry):
    careful, careless = Shown(registry, "special-tokens").table()
    return int(careless[1]) > int(careful[1])


@holds("special-tokens", "A chat template is a program.")
def _(registry):
    return "{%" in registry.chat_template("qwen3").text


@holds("special-tokens", "Marks of another format")
def _(registry):
    return (
        Shown(registry, "special-tokens", BY_ID["special-tokens"].broken[0].text)
        .sentences[-1]
        .startswith("This message has [INST]")
    )


@holds("special-tokens", "Parsed, these are two tokens")
def _(registry):
    special = registry.info("qwen3").special_tokens
    return {"<|endoftext|>", "<|im_start|>"} <= {*special}


@holds("numbers", "A number is cut like a word")
def _(registry):
    return {row[0]: row[2] for row in Shown(registry, "numbers").table()}["GPT-4o"] == "no"


@holds("numbers", "Patterns read from the left")
def _(registry):
    return all(pieces(registry, id, "1234567") == ["123", "456", "7"] for id in ("cl100k_base", "o200k_base"))


@holds("numbers", "In 9.11 the last token")
@holds("numbers", "The token 11 is more")
def _(registry):
    return [pieces(registry, "o200k_base", text)[-1] for text in ("9.11", "9.9")] == ["11", "9"]


@holds("numbers", "With commas")
def _(registry):
    rows = {row[0]: row[1:] for row in Shown(registry, "numbers", "1,234,567 + 89,012").table()}
    return rows["from the left"] == rows["from the right"] and rows["from the left"][1] == "yes"


@holds("code", "In code, spaces carry meaning")
def _(registry):
    heads, row = next(
        (step.table.heads, row.cells)
        for step in reversed(Shown(registry, "code").steps)
        for row in step.table.rows
        if row.cells[0] == "indentation"
    )
    spent = dict(zip(heads[1:], row[1:], strict=True))
    return int(spent["GPT-2"]) > 2 * int(spent["Codex"])


@holds("code", "Where a name falls apart")
@holds("code", "One name spelled in three ways")
def _(registry):
    names = ("getUserName", "get_user_name", "GETUSERNAME")
    return len({tuple(pieces(registry, "gpt2", name)) for name in names}) == 3


@holds("code", "T5 folds all white space")
def _(registry):
    return "\n" not in back(registry, "t5", BY_ID["code"].text)


@holds("code", "Two tabs or sixteen spaces")
def _(registry):
    tabs, spaces = BY_ID["code"].broken[1].text.splitlines()
    return len(ids(registry, "gpt2", tabs)) != len(ids(registry, "gpt2", spaces))


def premiums(registry, text):
    return {row[0]: float(row[2]) for row in Shown(registry, "languages", text).table()}


@holds("vectors", "Training gives similar rows")
def _(registry):
    before, after = ([cells[0] for cells in Shown(registry, "vectors").table(at)] for at in (0, -1))
    return {" ley", " loi", " Gesetz"} <= {*after} and not {" ley", " loi", " Gesetz"} & {*before}


@holds("vectors", "Its neighbours are just the other words")
def _(registry):
    shown = Shown(registry, "vectors", "vote")
    return [row[0] for row in shown.table(1)] == ["21"] and shown.table()[0][1] == "1.00"


@holds("vectors", "The word falls into several tokens.")
def _(registry):
    return len(ids(registry, "o200k_base", " Staatsangehörigkeit")) > 1


@holds("next-token", "A model continues tokens")
def _(registry):
    texts = (BY_ID["next-token"].text, *(one.text for one in BY_ID["next-token"].broken))
    predicted = [Shown(registry, "next-token", text).table()[0] for text in texts]
    return predicted[0][0] == " freedom" and not any(one[0] == " freedom" for one in predicted[1:])


@holds("next-token", "The space at the end")
def _(registry):
    shown = Shown(registry, "next-token", "Everyone has the right to ")
    learned = ids(registry, "gpt2", training_text())
    return 220 not in learned and shown.sentences[-1].startswith("No context is left.")


@holds("next-token", "Half a word")
def _(registry):
    return pieces(registry, "gpt2", "Everyone has the rig")[-1] not in (" right", " r")


@holds("next-token", "The training text has Article 12")
def _(registry):
    learned = pieces(registry, "gpt2", training_text())
    return {" 12", " 13"} <= {*learned} and " 123" not in learned


@holds("languages", "The same text costs several times")
def _(registry):
    return max(premiums(registry, BY_ID["languages"].text).values()) > 3


@holds("languages", "Languages in Latin script")
def _(registry):
    return max(premiums(registry, "French, German, Spanish").values()) < 1.7


@holds("languages", "A script that it hardly saw")
def _(registry):
    found = premiums(registry, "Amharic, Tibetan")
    texts = {one.name: one.articles[1] for one in declarations(Settings().store).values() if one.name in found}
    amharic, tibetan = (texts[name].partition("\n")[2] for name in found if name != "English")
    return all(len(ids(registry, "o200k_base", text)) > len(text) for text in (amharic, tibetan))


def lengths(registry, text):
    return [int(row[1]) for row in Shown(registry, "vocabulary-size", text).table(-3)]


@holds("vocabulary-size", "Each doubling of the vocabulary")
def _(registry):
    counts = lengths(registry, BY_ID["vocabulary-size"].text)
    saved = [a - b for a, b in pairwise(counts)]
    return sum(saved[:4]) > 3 * sum(saved[4:8])


@holds("vocabulary-size", "A script that was rare")
def _(registry):
    counts = lengths(registry, BY_ID["vocabulary-size"].broken[0].text)
    return counts[4] > 0.6 * counts[0] and counts[-1] < 0.5 * counts[0]


@holds("vocabulary-size", "What is frequent")
def _(registry):
    counts = lengths(registry, "the the the the the the")
    return {*counts[4:]} == {6}


@holds("judging", "No single number says")
def _(registry):
    rows = {row[0]: row for row in Shown(registry, "judging").table()}
    return rows["words"][4] == "100.0 %" and rows["bytes"][2] == "yes"


@holds("judging", "No token of GPT-4o repeats")
def _(registry):
    text = "every word here occurs just once"
    return len({*ids(registry, "o200k_base", text)}) == len(ids(registry, "o200k_base", text))


@holds("judging", "T5 makes two evenly used tokens")
def _(registry):
    found = pieces(registry, "t5", BY_ID["judging"].broken[1].text)
    return len(found) == 2 and "<unk>" in found and renyi_efficiency(np.array([1, 1])) == 1


@holds("extend", "An added token is matched")
@holds("extend", "The added token pneumo")
def _(registry):
    shown = Shown(registry, "extend", BY_ID["extend"].broken[0].text)
    return "pneumonia" in "".join(pieces(registry, "gpt2", " pneumonia")) and any(
        "pneumo" in tile.text and "nia" not in tile.text
        for step in shown.steps
        for row in step.rows
        for tile in row.tiles
    )


@holds("extend", "Frequent words are tokens already")
def _(registry):
    return any("nothing to add" in text for text in Shown(registry, "extend", "the and of to in").sentences)


def verdicts(registry, text):
    return {row[3] for row in Shown(registry, "glitch", text).table()}


@holds("glitch", "A vocabulary can hold tokens")
def _(registry):
    return {"unreachable", "undecodable"} <= verdicts(registry, BY_ID["glitch"].text)


@holds("glitch", "Failing this test is no proof")
def _(registry):
    return verdicts(registry, "o200k_base 3413") == {"unreachable"} and 3413 in ids(registry, "o200k_base", " I'M")


@holds("glitch", "Known glitch tokens")
def _(registry):
    return verdicts(registry, "gpt2 43453 30208 37574 42090") == {"reachable"}


@holds("glitch", "GLM-4 has the tokens")
def _(registry):
    found = [registry.get("glm-4", "scratch").entry(id).raw for id in (98510, 98726, 98984)]
    return found == [b" 1", b" 2", b" 3"] and verdicts(registry, "glm-4 98510 98726 98984") == {"unreachable"}


@holds("patches", "The model here counts")
def _(registry):
    return len(declarations(Settings().store)) == 532


@holds("patches", "The model learned from laws")
def _(registry):
    shown = Shown(registry, "patches", "3.14159265358979")
    table = next(step.table for step in reversed(shown.steps) if step.table)
    first, share = (cell if isinstance(cell, str) else to_plain_text(cell) for cell in table.rows[0].cells[:2])
    entropies = load(Settings().store).entropies(b"3.14159265358979").tolist()
    return (first, share[:2]) == ("↵", "53") and all(1.6 <= one < 1.8 for one in entropies[-7:])


@holds("patches", "The first byte of a letter")
def _(registry):
    shown = Shown(registry, "patches", "свобода")
    begun = [text.split()[1] for text in shown.sentences if text.endswith("a patch begins.")]
    within = [byte for byte in begun if byte not in ("d0", "d1")]
    return len(within) > len(begun) / 2


@holds("pictures", "A picture twice as wide")
def _(registry):
    (vit, *others) = IMAGE_MODELS
    grown = [image_tokens(one.id, 8192, 6144 // 2).tokens for one in others if one.id == "gpt-4o-high"]
    return image_tokens(vit.id, 448, 448).tokens == 4 * image_tokens(vit.id, 224, 224).tokens and grown[0] < 2000


@holds("pictures", "The pixels beyond")
def _(registry):
    return Shown(registry, "pictures", "70 × 50").steps[-1].facts[0].value == f"{70 * 50 - 64 * 48}"


@holds("pictures", "3,072 tokens")
def _(registry):
    shown = Shown(registry, "pictures", "1024 × 768")
    fewer = [row[0] for row in shown.table() if int(row[1].replace(",", "")) < 3072]
    return "3,072 tokens" in shown.sentences[-1] and len(fewer) == len(shown.table()) - 1


@holds("sound", "One tone: what is left")
def _(registry):
    return [row[2] for row in Shown(registry, "sound", "440").table()][1:] == ["−12.9 dB"] * 3


@holds("sound", "A low tone and a high one")
def _(registry):
    books = Shown(registry, "sound", "110 6000 110 6000").rows()[1:]
    return all(row[0] == row[2] and row[1] == row[3] for row in books)


def zeros(text):
    joints = [[float(word) for word in line.split()] for line in text.splitlines()]
    levels = next(
        step.levels
        for step in iter_stages([[*row] for row in zip(*joints, strict=True)], 10, {})
        if isinstance(step, Flattened)
    )
    return sum(not level for level in levels) / len(levels)


@holds("sequence", "A model reads text, pictures and sound as one")
def _(registry):
    cells = [cell for row in Shown(registry, "sequence").table(0) for cell in row[2:]]
    assert all(len(cell.split(", ")) == 4 for cell in cells)
    return [row[1:] for row in Shown(registry, "sequence").table()] == [
        *(["6", "6"], ["4", "4"], ["16", "0"], ["0", "20"]),
        *(["26", "30"], ["10", "30"], ["50,261", "50,301"]),
    ]


@holds("sequence", "A picture alone")
def _(registry):
    return [row[1:] for row in Shown(registry, "sequence", "<image>").table()][-3:-1] == [["14", "14"], ["2", "14"]]


@holds("sequence", "Text alone")
def _(registry):
    return [row[1:] for row in Shown(registry, "sequence", "What do you see?").table()][-3:-1] == [["5", "5"]] * 2


@holds("sequence", "The same picture three times")
def _(registry):
    rows = Shown(registry, "sequence", "<image><image><image> Which two are alike?").table()
    return rows[1:3] == [["separators", "6", "6"], ["projected vectors", "36", "0"]]


@holds("actions", "A smooth movement")
def _(registry):
    return zeros(BY_ID["actions"].text) > 0.5


@holds("actions", "Decoding gives back")
def _(registry):
    *_, flattened, last = iter_stages([[0.0], [1.0], [4.0], [9.0]], 10, {})
    return read_levels(b"".join(last.tokens)) == [*flattened.levels]


@holds("actions", "Noise has all frequencies")
def _(registry):
    return zeros(BY_ID["actions"].broken[0].text) < 0.2


@holds("actions", "A jump needs fast frequencies")
def _(registry):
    jump = zeros(BY_ID["actions"].broken[1].text)
    return zeros(BY_ID["actions"].broken[0].text) < jump < zeros(BY_ID["actions"].text)


@holds("concepts", "The library does not know")
def _(registry):
    shown = Shown(registry, "concepts", "He lives approx. 5 km away.")
    return shown.rows(-6)[0] == ["He lives approx.", "5 km away."]


@holds("concepts", "Without signs")
def _(registry):
    return len(Shown(registry, "concepts", "no signs at all and so no end").rows(-6)[0]) == 1


@holds("parameters", "New pairs with zero keys")
def _(registry):
    rows = dict(Shown(registry, "parameters").table(-2))
    return rows["factor kept"] == "0" and rows["factor of the new size"] != "0" and rows["softmax"] != "0"


@holds("parameters", "The new values must not be zero")
def _(registry):
    def output(key, value):
        *_, last = attend([1.0, 2.0], [[1.0, 0.5], key], [[1.0], value], partial(weigh_by_length, pairs=1))
        return last.output[0]

    start = output([0.0, 0.0], [0.0])
    slopes = [(output([1e-5, 0.0], [0.0]) - start) / 1e-5, (output([0.0, 0.0], [1e-5]) - start) / 1e-5]
    return max(map(abs, slopes)) < 1e-4 < abs(output([1e-5, 0.0], [1.0]) - start) / 1e-5


@holds("parameters", "Softmax gives all weight")
def _(registry):
    rows = dict(Shown(registry, "parameters", "1000 -2000 500").table(-2))
    return rows["softmax"] == rows["factor kept"] == "0"


@holds("parameters", "The length of the scores")
def _(registry):
    def output(text):
        return next(step for step in Shown(registry, "parameters", text).steps if step.rows[-1].label == "output").rows[
            -1
        ]

    return [tile.text for tile in output("0.001").tiles] == [tile.text for tile in output("1000").tiles]


@holds("budget", "Text, images and sound share")
def _(registry):
    text, picture = budget(registry, budget_model("gemini-3"), parse_prompt("word " * 70 + "\n1024 × 768")).parts
    return picture.tokens > text.tokens


@holds("budget", "A text is counted")
@holds("budget", "A tiny image takes as much")
def _(registry):
    gemini = budget_model("gemini-3")
    tiny, large = (budget(registry, gemini, parse_prompt(text)).tokens for text in ("16 × 16", "1024 × 768"))
    twice = budget(registry, gemini, parse_prompt("2 s")).tokens
    return tiny == large and twice == 2 * budget(registry, gemini, parse_prompt("1 s")).tokens


@holds("budget", "An hour of sound")
def _(registry):
    return 0.85 < budget(registry, budget_model("gemini-3"), parse_prompt("3600 s")).tokens / 128_000 < 1


def by_year(registry, text):
    return {row[0]: int(row[2]) for row in Shown(registry, "history", text).table()}


@holds("history", "Gage’s way learns")
def _(registry):
    counts = by_year(registry, BY_ID["history"].broken[0].text)
    return counts["1994"] < min(count for year, count in counts.items() if year != "1994")


@holds("history", "What is not in the vocabulary")
def _(registry):
    rows = [row for step in Shown(registry, "history", "🙂 你好").steps for row in step.rows]
    unknown = {row.label for row in rows for tile in row.tiles if tile.text in ("[UNK]", "<unk>")}
    return unknown and max(unknown) < "2019"


@holds("tiktoken", "Most pieces of an English text")
def _(registry):
    ranks = registry.get("cl100k_base", "scratch").trace("a").ids
    pieces = [*cut(declarations(Settings().store)["eng"].text)]
    return sum(piece.encode() in ranks for piece in pieces) > 0.95 * len(pieces)


@holds("tiktoken", "Without its last sign")
def _(registry):
    (text,) = (one.text for one in BY_ID["tiktoken"].broken if "last sign" in one.shows)
    return len({row[1] for row in Shown(registry, "tiktoken", text).table()}) == 1


@holds("tiktoken", "No piece is a token")
def _(registry):
    return (
        "Of these, 0 are in the vocabulary"
        in Shown(registry, "tiktoken", BY_ID["tiktoken"].broken[1].text).sentences[2]
    )


def best_of(registry, text):
    """The most frequent pair of a corpus, the one of the highest score, and the one of the largest gain, by name."""
    rows = Shown(registry, "likelihood", text).table()
    return [max(rows, key=lambda row: float(row[at]))[0] for at in (1, 2, 3)]


@holds("likelihood", "The score of the scene before")
def _(registry):
    return best_of(registry, BY_ID["likelihood"].text) == ["##i##n", "o##t", "##h##e"]


@holds("likelihood", "The score takes the pair")
def _(registry):
    return best_of(registry, BY_ID["likelihood"].broken[0].text) == ["t##h", "q##u", "t##h"]


@holds("likelihood", "Each pair occurs once here")
def _(registry):
    return len({row[3] for row in Shown(registry, "likelihood", "abcdefgh").table()}) == 1


def draws(registry, text):
    return {row[0]: (int(row[1]), float(row[2])) for row in Shown(registry, "dropout", text).table()}


@holds("dropout", "With p = 0 nothing")
def _(registry):
    drawn = draws(registry, "unrelated")
    return (drawn["0"], drawn["1"]) == ((1, float(len(ids(registry, "gpt2", "unrelated")))), (1, 9.0))


@holds("dropout", "Even a word that is a token")
def _(registry):
    return len(ids(registry, "gpt2", "the")) == 1 and draws(registry, "the")["0.5"][0] > 1


@holds("dropout", "Where no merge is possible")
def _(registry):
    return {count for count, _ in draws(registry, "qxzjw").values()} == {1}


def remedied(registry, text):
    """By remedy, the tokens of English and the premiums of the others."""
    return {row[0]: [float(cell) for cell in row[1:]] for row in Shown(registry, "remedies", text).table()}


@holds("remedies", "Languages with little text")
def _(registry):
    found = [row[-1] for row in remedied(registry, BY_ID["remedies"].text).values()]
    return found[0] > 2 * found[1] > 2 * found[2]


@holds("remedies", "GPT-2’s pattern cuts the vowel signs")
def _(registry):
    cuts = [[piece for _, piece in pretokenize("हिन्दी", expression(name))] for name in ("gpt2", "o200k")]
    found = remedied(registry, BY_ID["remedies"].text)
    return (len(cuts[0]) > 1, len(cuts[1])) == (True, 1) and found["α = 0.3, marks"][-1] < found["α = 0.3"][-1] / 1.5


@holds("remedies", "With as much text as English")
def _(registry):
    found = remedied(registry, "German 100")
    return found["α = 1"] == found["α = 0.3"] == found["α = 0"]


@holds("remedies", "The vocabulary stays as large")
def _(registry):
    found = remedied(registry, BY_ID["remedies"].broken[1].text)
    return found["α = 0"][0] > found["α = 1"][0] and found["α = 0"][-1] < found["α = 1"][-1]


def read_back(registry, text):
    return [tile.text for tile in Shown(registry, "recovery", text).steps[-1].rows[-1].tiles]


@holds("characters", "The paper takes it for improbable")
def _(registry):
    rows = {char: [one.row for one in iter_rows(char)] for char in ("中", "อ", "a", "b")}
    return rows["中"] == rows["อ"] and not {*rows["a"]} & {*rows["b"]} and ord("中") - ord("อ") == 16_384


@holds("characters", "A Chinese and a Thai")
def _(registry):
    steps = Shown(registry, "characters", "中อ").steps
    return any(to_plain_text(step.text).startswith("อ takes the same rows as 中.") for step in steps)


@holds("characters", "One sign, four characters")
def _(registry):
    return [len(row.tiles) for row in Shown(registry, "characters", "🏳️‍🌈").steps[-1].rows] == [4, 1]


@holds("recovery", "One lost byte costs one character.")
def _(registry):
    texts = (BY_ID["recovery"].text, "naïve", "日本語", "🌍🙂!")
    return all(len(read_back(registry, text)) == len(text) - 1 for text in texts)


@holds("recovery", "Each ASCII letter is one byte")
def _(registry):
    return read_back(registry, "plain") == [*"plain"]


@holds("recovery", "Of a single sign")
def _(registry):
    return read_back(registry, "🌍") == []


def costs(registry, text):
    return {row[0]: (int(row[1]), int(row[3])) for row in Shown(registry, "cost", text).table()}


@holds("cost", "A price and a window")
def _(registry):
    found = costs(registry, BY_ID["cost"].text)
    return len({tokens for tokens, _ in found.values()}) > 1


@holds("cost", "GPT-4 was trained on little Burmese")
def _(registry):
    text = BY_ID["cost"].broken[0].text
    tokens, pages = costs(registry, text)["GPT-4"]
    return tokens > len(text) and pages == 2


@holds("cost", "Digits compress badly")
def _(registry):
    text = BY_ID["cost"].broken[1].text
    groups = pieces(registry, "o200k_base", text)
    return costs(registry, text)["Qwen3"][0] == len(text) and max(map(len, groups)) == 3


@holds("cost", "Common English")
def _(registry):
    return len({tokens for tokens, _ in costs(registry, BY_ID["cost"].broken[2].text).values()}) == 1


@holds("untrained", "A merge can swallow")
def _(registry):
    learned = learn_text(BY_ID["untrained"].text)
    *_, last = iter_moves([*learned.ids, learned.ids[0]], len(learned.vocabulary))
    still = [id for id, length in enumerate(np.linalg.norm(last.read, axis=1)) if not length]
    return still == learned.unused and alike(last.predict[learned.unused]) > 0.9


@holds("untrained", "One token is left")
def _(registry):
    learned = learn_text("banana banana banana")
    return {learned.vocabulary[id] for id in learned.ids} == {"banana"} and len(learned.unused) == 6


@holds("untrained", "No pair occurs twice")
def _(registry):
    learned = learn_text(BY_ID["untrained"].broken[1].text)
    return len(learned.vocabulary) == learned.letters and not learned.unused


@holds("growing", "BPE takes boundaries back")
def _(registry):
    whole, beginning = (pieces(registry, "o200k_base", text) for text in ("strawberry", "strawberr"))
    return (whole, beginning) == (["st", "raw", "berry"], ["st", "raw", "ber", "r"])


@holds("growing", "Signs are merged")
def _(registry):
    whole, prompt = (pieces(registry, "o200k_base", text) for text in ("http://", "http:"))
    return whole == ["http", "://"] and prompt == ["http", ":"]


@holds("growing", "A prompt that ends with a space")
def _(registry):
    return [row[1] for row in Shown(registry, "growing", "x != y").table()] == ["yes", "no", "no", "yes", "no", "yes"]


@holds("growing", "Words are cut at their spaces")
def _(registry):
    return [row[1] for row in Shown(registry, "growing", "a b c").table()] == ["yes", "no", "yes", "no", "yes"]


def operations(registry, text):
    says = Shown(registry, "byte-latent", text).steps[-1].figure.says
    return float(re.search(r" patches ([\d.]+)", says)[1]), float(re.search(r" tokens ([\d.]+)", says)[1])


@holds("byte-latent", "Patches of two bytes")
def _(registry):
    text = BY_ID["byte-latent"].broken[0].text
    patches, tokens = operations(registry, text)
    cut = Shown(registry, "byte-latent", text).row("patches", 0)
    return patches > tokens and len(cut) > len(pieces(registry, "o200k_base", text))


@holds("byte-latent", "After the first byte")
def _(registry):
    text = BY_ID["byte-latent"].broken[1].text
    patches, tokens = operations(registry, text)
    return patches < tokens / 2 and Shown(registry, "byte-latent", text).row("patches", 0) == [text]


def sentences():
    for one in SCENES:
        yield from ((one.id, claim.text) for claim in (one.claim, *one.explains) if claim.basis == "computed")
        yield from ((one.id, broken.shows) for broken in one.broken)


@pytest.mark.parametrize(("id", "text"), [*sentences()])
def test_what_is_called_computed_is_what_the_engines_compute(registry, id, text):
    (check,) = (check for (scene, beginning), check in CLAIMS.items() if scene == id and text.startswith(beginning))
    assert check(registry)


def test_every_check_is_of_a_sentence():
    for scene, beginning in CLAIMS:
        assert [text for id, text in sentences() if id == scene and text.startswith(beginning)], (scene, beginning)
