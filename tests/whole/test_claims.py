"""What the course calls computed holds: each claim, and what each text that breaks a scene is said to show."""

import re
from collections import Counter
from functools import cache, partial
from itertools import pairwise
from math import log

import numpy as np
import pytest
from tokenarium.lab.beyond.budget import budget, budget_model
from tokenarium.lab.beyond.byte_model import load
from tokenarium.lab.beyond.image_tokens import IMAGE_MODELS, image_tokens
from tokenarium.lab.languages.declarations import declarations
from tokenarium.lab.learn.at_scale import learn_book, load_figures
from tokenarium.lab.learn.cost import parse_prompt
from tokenarium.lab.learn.course import SCENES
from tokenarium.lab.learn.growing import training_text
from tokenarium.lab.learn.merging import END, corpus
from tokenarium.lab.learn.program import cut
from tokenarium.lab.learn.rows import learn_text
from tokenarium.lab.learn.scene import to_plain_text, trace_scene
from tokenarium.lab.learn.training import short_words
from tokenarium.lab.metrics import renyi_efficiency
from tokenarium.lab.steps.patterns import expression
from tokenarium.scratch import wordpiece
from tokenarium.scratch.bpe import encode_by_pairs
from tokenarium.scratch.chunked_counts import END_OF_TEXT
from tokenarium.scratch.dct_tokens import Flattened, iter_stages, read_levels
from tokenarium.scratch.hash_characters import iter_rows
from tokenarium.scratch.incremental_bpe import MergedWords, Stale, learn_by_index
from tokenarium.scratch.learn_bpe import learn
from tokenarium.scratch.learn_unigram import compute_expected_counts, iter_learning_steps
from tokenarium.scratch.pattention import attend, weigh_by_length
from tokenarium.scratch.pretokenize import pretokenize
from tokenarium.scratch.untrained_rows import alike, iter_moves
from tokenarium.settings import ROOT, Settings

BY_ID = {one.id: one for one in SCENES}
DECLARATIONS = declarations(Settings().store)
BOOK = learn_book(Settings().store)
FIGURES = load_figures(Settings().store)


def plain(cell):
    return cell if isinstance(cell, str) else to_plain_text(cell)


class Shown:
    """What a scene shows for a text: its steps, their sentences, the cells of their tables and the tokens of rows."""

    def __init__(self, registry, one, text):
        trace = trace_scene(one, text, registry)
        self.steps, self.question = trace.steps, trace.question
        self.sentences = [to_plain_text(step.sentence) for step in trace.steps]

    def table(self, at=-1):
        tables = [step.table for step in self.steps if step.table]
        return [[plain(cell) for cell in row.cells] for row in tables[at].rows]

    def column(self, at, table=-1):
        return [row[at] for row in self.table(table)]

    def row(self, label, at=-1):
        (row,) = (row for row in self.steps[at].rows if row.label == label)
        return [tile.text for tile in row.tiles]

    def rows(self, at=-1):
        return [[tile.text for tile in row.tiles] for row in self.steps[at].rows]

    def answer(self):
        return to_plain_text(self.question.right.label)

    def all_rows(self):
        return [(row.label, [tile.text for tile in row.tiles]) for step in self.steps for row in step.rows]


@cache
class Scene:
    """A scene, what it shows for its text, for others, and for those that break it, and what tokenizers give."""

    def __init__(self, registry, id):
        self.registry, self.one = registry, BY_ID[id]
        self.text, self.broken = self.one.text, [one.text for one in self.one.broken]
        self.shown = cache(lambda text=self.text: Shown(registry, self.one, text))

    def breaks(self, at):
        return self.shown(self.broken[at])

    def tokenizer(self, id):
        return self.registry.get(id, "scratch")

    def ids(self, tokenizer, text):
        return self.tokenizer(tokenizer).encode(text).ids.tolist()

    def back(self, tokenizer, text):
        return self.tokenizer(tokenizer).decode(self.ids(tokenizer, text)).decode(errors="replace")

    def entries(self, tokenizer, text):
        return [self.tokenizer(tokenizer).entry(id) for id in self.ids(tokenizer, text)]

    def pieces(self, tokenizer, text):
        return [entry.piece for entry in self.entries(tokenizer, text)]


def index_steps(it):
    words = corpus(it.text)
    spelled = [(*word, END) for word in words]
    vocabulary = sorted({symbol for word in spelled for symbol in word})
    return [*learn_by_index([[*map(vocabulary.index, word)] for word in spelled], [*words.values()])]


def the_index_makes_the_merges_of_counting_again(it):
    wanted = learn({(*word, END): count for word, count in corpus(it.text).items()}, ties="smallest")
    return [step.frequency for step in index_steps(it) if isinstance(step, MergedWords)] == [one[2] for one in wanted]


def a_chunk_alone_merges_another_pair(it):
    (whole,) = learn(Counter(pretokens(it.text)), 1)
    alone = [learn(Counter(pretokens(text)), 1) for text in it.text.split(END_OF_TEXT)]
    return any(made and made[0][:2] != whole[:2] for made in alone)


def pretokens(text):
    return [word for part in text.split(END_OF_TEXT) for _, word in pretokenize(part)]


def words_are_told_by_their_count(it):
    told = [
        re.search(r"occurs? (?:(once)|(\d+) times)(?: each)?: (it gets the id|they get the ids|too rare)", text)
        for text in it.shown().sentences
    ]
    wanted = {(True, "it gets the id"), (True, "they get the ids"), (False, "too rare")}
    return {(int(found[2] or 1) >= 2, found[3]) for found in told if found} == wanted


def a_token_ends_inside_each_person(it):
    (family, *_) = it.broken
    raws = [entry.raw for entry in it.entries("gpt2", family)]
    ends = {sum(map(len, raws[: at + 1])) for at in range(len(raws))}
    starts = [len(family[:at].encode()) for at in (0, 2, 4)]
    return len(family) == 5 and all(ends & {start + 1, start + 2, start + 3} for start in starts)


def the_careless_program_gives_more_than_the_careful_one(it):
    careful, careless = map(int, it.shown().column(1))
    return careless > careful


def commas_give_the_same_groups_from_both_sides(it):
    rows = {row[0]: row[1:] for row in it.shown("1,234,567 + 89,012").table()}
    return rows["from the left"] == rows["from the right"] and rows["from the left"][1] == "yes"


def spaces_cost_gpt_2_twice_as_much_as_codex(it):
    tables = [step.table for step in reversed(it.shown().steps) if step.table]
    found = next((one.heads, row.cells) for one in tables for row in one.rows if row.cells[0] == "indentation")
    spent = dict(zip(*found, strict=True))
    return int(spent["GPT-2"]) > 2 * int(spent["Codex"])


def spellings_of_one_name_have_other_pieces(it):
    return len({tuple(it.pieces("gpt2", name)) for name in ("getUserName", "get_user_name", "GETUSERNAME")}) == 3


def only_the_right_beginning_is_continued_by_freedom(it):
    right, *others = (it.shown(text).table()[0][0] for text in (it.text, *it.broken))
    return right == " freedom" and " freedom" not in others


def premiums(it, text):
    return {row[0]: float(row[2]) for row in it.shown(text).table()}


def every_script_that_is_rare_has_more_tokens_than_characters(it):
    found = premiums(it, "Amharic, Tibetan")
    texts = [one.articles[1].partition("\n")[2] for one in DECLARATIONS.values() if one.name in {*found} - {"English"}]
    return [len(it.ids("o200k_base", text)) > len(text) for text in texts] == [True, True]


def lengths(it, text):
    return [int(count) for count in it.shown(text).column(1, -4)]


def the_first_doublings_save_more_than_the_next(it):
    saved = [a - b for a, b in pairwise(lengths(it, it.text))]
    return sum(saved[:4]) > 3 * sum(saved[4:8])


def a_rare_script_gains_late(it):
    counts = lengths(it, it.broken[0])
    return counts[4] > 0.6 * counts[0] and counts[-1] < 0.5 * counts[0]


def the_added_token_cuts_another_word(it):
    cuts = any("pneumo" in text and "nia" not in text for _, row in it.breaks(0).all_rows() for text in row)
    return "pneumonia" in "".join(it.pieces("gpt2", " pneumonia")) and cuts


def verdicts(it, text):
    return {*it.shown(text).column(3)}


def digits_of_glm_4_are_unreachable(it):
    raws = [it.tokenizer("glm-4").entry(id).raw for id in (98510, 98726, 98984)]
    return raws == [b" 1", b" 2", b" 3"] and verdicts(it, "glm-4 98510 98726 98984") == {"unreachable"}


def the_model_of_bytes_is_as_unsure_of_each_digit(it):
    first, share, *_ = it.shown("3.14159265358979").table()[0]
    entropies = load(Settings().store).entropies(b"3.14159265358979").tolist()
    return (first, share[:2]) == ("↵", "53") and all(1.6 <= one < 1.8 for one in entropies[-7:])


def most_patches_begin_within_letters(it):
    begun = [text.split()[1] for text in it.shown("свобода").sentences if text.endswith("a patch begins.")]
    return sum(byte not in ("d0", "d1") for byte in begun) > len(begun) / 2


def only_vit_grows_with_the_picture(it):
    vit = IMAGE_MODELS[0].id
    grown = image_tokens("gpt-4o-high", 8192, 6144 // 2).tokens
    return image_tokens(vit, 448, 448).tokens == 4 * image_tokens(vit, 224, 224).tokens and grown < 2000


def all_other_models_take_fewer_than_3072_tokens(it):
    shown = it.shown("1024 × 768")
    fewer = [count for count in shown.column(1) if int(count.replace(",", "")) < 3072]
    return "3,072 tokens" in shown.sentences[-1] and len(fewer) == len(shown.table()) - 1


def tones_repeat_in_the_codebooks(it):
    return all(row[:2] == row[2:4] for row in it.shown("110 6000 110 6000").rows()[1:])


def text_pictures_and_sound_are_one_sequence(it):
    cells = [cell for row in it.shown().table(0) for cell in row[2:]]
    return all(len(cell.split(", ")) == 4 for cell in cells) and [row[1:] for row in it.shown().table()] == [
        *(["6", "6"], ["4", "4"], ["16", "0"], ["0", "20"]),
        *(["26", "30"], ["10", "30"], ["50,261", "50,301"]),
    ]


def zeros(text):
    joints = [[float(word) for word in line.split()] for line in text.splitlines()]
    stages = iter_stages([[*row] for row in zip(*joints, strict=True)], 10, {})
    levels = next(step.levels for step in stages if isinstance(step, Flattened))
    return sum(not level for level in levels) / len(levels)


def decoding_gives_the_levels_back(it):
    *_, flattened, last = iter_stages([[0.0], [1.0], [4.0], [9.0]], 10, {})
    return read_levels(b"".join(last.tokens)) == [*flattened.levels]


def a_new_value_must_not_be_zero(it):
    def output(key, value):
        *_, last = attend([1.0, 2.0], [[1.0, 0.5], key], [[1.0], value], partial(weigh_by_length, pairs=1))
        return last.output[0]

    start = output([0.0, 0.0], [0.0])
    slopes = [(output([1e-5, 0.0], [0.0]) - start) / 1e-5, (output([0.0, 0.0], [1e-5]) - start) / 1e-5]
    return max(map(abs, slopes)) < 1e-4 < abs(output([1e-5, 0.0], [1.0]) - start) / 1e-5


def factors(it, *text):
    return dict(it.shown(*text).table(-2))


def new_pairs_change_nothing(it):
    rows = factors(it)
    return rows["factor kept"] == "0" and rows["factor of the new size"] != "0" and rows["softmax"] != "0"


def outputs(it, text):
    return next(row for label, row in it.shown(text).all_rows() if label == "output")


def prompt_tokens(it, text):
    return budget(it.registry, budget_model("gemini-3"), parse_prompt(text)).tokens


def a_picture_takes_more_than_seventy_words(it):
    prompt = parse_prompt("word " * 70 + "\n1024 × 768")
    text, picture = budget(it.registry, budget_model("gemini-3"), prompt).parts
    return picture.tokens > text.tokens


def images_cost_the_same_and_sound_by_its_length(it):
    same = prompt_tokens(it, "16 × 16") == prompt_tokens(it, "1024 × 768")
    return same and prompt_tokens(it, "2 s") == 2 * prompt_tokens(it, "1 s")


def the_way_of_1994_gives_the_fewest(it):
    counts = {row[0]: int(row[2]) for row in it.breaks(0).table()}
    return counts.pop("1994") < min(counts.values())


def only_before_2019_something_is_unknown(it):
    unknown = {label for label, row in it.shown("🙂 你好").all_rows() if {"[UNK]", "<unk>"} & {*row}}
    return unknown and max(unknown) < "2019"


def nearly_every_piece_is_a_token(it):
    ranks = it.registry.get("cl100k_base", "scratch").trace("a").ids
    pieces = [*cut(DECLARATIONS["eng"].text)]
    return sum(piece.encode() in ranks for piece in pieces) > 0.95 * len(pieces)


def without_its_last_sign_the_text_is_plain(it):
    (text,) = (one.text for one in it.one.broken if "last sign" in one.shows)
    return len({*it.shown(text).column(1)}) == 1


def best(it, text):
    """The most frequent pair of a corpus, the one of the highest score, and the one of the largest gain, by name."""
    rows = it.shown(text).table()
    return [max(rows, key=lambda row: float(row[at]))[0] for at in (1, 2, 3)]


def the_loss_of_tokens_is_not_what_their_removal_costs(it):
    words = short_words(it.text)
    *_, before, pruned, _, after = iter_learning_steps(words, size=9)
    estimate = sum(loss for token, loss in pruned.losses.items() if token not in pruned.scores)
    cost = [compute_expected_counts(words, step.scores)[1] for step in (before, after)]
    return 150 < estimate < 170 and 180 < cost[0] - cost[1] < 190


def draws(it, text):
    """By probability, how many ways were drawn and how long they are."""
    return {row[0]: (int(row[1]), float(row[2])) for row in it.shown(text).table()}


def without_dropout_there_is_one_way(it):
    found = draws(it, "unrelated")
    return (found["0"], found["1"]) == ((1, float(len(it.ids("gpt2", "unrelated")))), (1, 9.0))


def remedied(it, text):
    """By remedy, the tokens of English and the premiums of the others."""
    return {row[0]: [float(cell) for cell in row[1:]] for row in it.shown(text).table()}


def each_remedy_halves_the_last_premium(it):
    found = [row[-1] for row in remedied(it, it.text).values()]
    return found[0] > 2 * found[1] > 2 * found[2]


def vowel_signs_cost_what_the_pattern_cuts(it):
    cuts = [[piece for _, piece in pretokenize("हिन्दी", expression(name))] for name in ("gpt2", "o200k")]
    found = remedied(it, it.text)
    return (len(cuts[0]) > 1, len(cuts[1])) == (True, 1) and found["α = 0.3, marks"][-1] < found["α = 0.3"][-1] / 1.5


def equal_shares_need_no_remedy(it):
    found = remedied(it, "German 100")
    return found["α = 1"] == found["α = 0.3"] == found["α = 0"]


def english_pays_for_the_others(it):
    found = remedied(it, it.broken[1])
    return found["α = 0"][0] > found["α = 1"][0] and found["α = 0"][-1] < found["α = 1"][-1]


def characters_share_rows(it):
    rows = {char: [one.row for one in iter_rows(char)] for char in ("中", "อ", "a", "b")}
    return rows["中"] == rows["อ"] and not {*rows["a"]} & {*rows["b"]} and ord("中") - ord("อ") == 16_384


def costs(it, text):
    """By model, tokens and pages."""
    return {row[0]: (int(row[1]), int(row[3])) for row in it.shown(text).table()}


def burmese_has_more_tokens_than_characters_and_two_pages(it):
    tokens, pages = costs(it, it.broken[0])["GPT-4"]
    return tokens > len(it.broken[0]) and pages == 2


def digits_are_cut_in_ones_or_threes(it):
    text = it.broken[1]
    return costs(it, text)["Qwen3"][0] == len(text) and max(map(len, it.pieces("o200k_base", text))) == 3


def unused_tokens_stay_alike(it):
    learned = learn_text(it.text)
    *_, last = iter_moves([*learned.ids, learned.ids[0]], len(learned.vocabulary))
    still = [id for id, length in enumerate(np.linalg.norm(last.read, axis=1)) if not length]
    return still == learned.unused and alike(last.predict[learned.unused]) > 0.9


def one_token_leaves_six_unused(it):
    learned = learn_text("banana banana banana")
    return {learned.vocabulary[id] for id in learned.ids} == {"banana"} and len(learned.unused) == 6


def without_a_pair_nothing_is_unused(it):
    learned = learn_text(it.broken[1])
    return len(learned.vocabulary) == learned.letters and not learned.unused


def operations(it, text):
    """Operations a byte with patches, and with tokens."""
    says = it.shown(text).steps[-1].figure.says
    return [float(re.search(rf" {name} ([\d.]+)", says)[1]) for name in ("patches", "tokens")]


def short_patches_cost_more_than_tokens(it):
    patches, tokens = operations(it, it.broken[0])
    return patches > tokens and len(it.breaks(0).row("patches", 0)) > len(it.pieces("o200k_base", it.broken[0]))


def one_patch_costs_less_than_half(it):
    patches, tokens = operations(it, it.broken[1])
    return patches < tokens / 2 and it.breaks(1).row("patches", 0) == [it.broken[1]]


CLAIMS = {
    "ids": {
        "A language model does not see letters.": lambda it: all(map(str.isdecimal, it.shown().row("model"))),
        "A space inside": lambda it: (
            not {*it.ids("o200k_base", "strawberry")} <= {*it.ids("o200k_base", "straw berry")}
        ),
        "Capital letters": lambda it: len(it.ids("o200k_base", "STRAWBERRY")) > len(it.ids("o200k_base", "strawberry")),
    },
    "bytes": {
        "If the code points themselves": lambda it: max(map(ord, it.text)) + 1 == 127_758,
        "The price of bytes is length": lambda it: (
            [
                round(len(text.encode()) / len(text), 1)
                for text in (DECLARATIONS[code].text for code in ("rus", "hin", "jpn"))
            ]
            == [1.8, 2.6, 2.9]
        ),
        "They look the same.": lambda it: [len(part) for part in ("é", "e\u0301")] == [1, 2],
        "One picture, five code points, eighteen bytes.": lambda it: (
            [(len(one.text), len(one.text.encode())) for one in it.one.broken if "five code points" in one.shows]
            == [(5, 18)]
        ),
    },
    "words": {
        "A vocabulary of words": words_are_told_by_their_count,
        "friend, friendly": lambda it: (
            {word.removesuffix("ly") for word in ("friend", "friendly", "love", "lovely")} == {"friend", "love"}
        ),
        "Forms of a word": lambda it: {"walk", "walked"} <= {*it.breaks(0).column(0, 1)},
        "Without spaces": lambda it: "[UNK]" in it.breaks(1).rows()[-2],
    },
    "learn-bpe": {
        "A published walk-through": lambda it: (
            it.shown("aabacaacbacb").sentences[1:4:2]
            == [
                "The most frequent pair is ac.",
                "bac is one of the 2 most frequent pairs, and comes first in the corpus.",
            ]
        ),
        "No pair occurs twice": lambda it: (
            it.shown("abcdefgh").sentences[-1].startswith("No pair occurs twice: training ends")
        ),
    },
    "bpe": {
        "BPE can make a token": lambda it: (
            [it.shown("seaside").row(label) for label in ("BPE", "longest")] == [["se", "as", "ide"], ["sea", "side"]]
        ),
        "A frequent word": lambda it: it.shown("the").row("BPE") == ["the"],
        "Letters that are rarely": lambda it: len(it.shown("qxzjw").row("BPE")) >= 4,
    },
    "pretokenize": {
        "Before any merge": lambda it: (
            [token for _, word in pretokenize(it.text, expression("o200k")) for token in it.ids("o200k_base", word)]
            == it.ids("o200k_base", it.text)
        ),
        "GPT-2 knows contractions": lambda it: (
            [it.shown("I'LL PAY").row(model) for model in ("GPT-2", "GPT-4o")]
            == [["I", "'", "LL", " PAY"], ["I'LL", " PAY"]]
        ),
        "GPT-2 takes it whole": lambda it: (
            [it.shown("1234567").row(model) for model in ("GPT-2", "GPT-4", "Qwen 3")]
            == [["1234567"], ["123", "456", "7"], [*"1234567"]]
        ),
    },
    "new-word": {
        "A list of merges is all": lambda it: (
            "newest" not in it.text.split()[:-1] and it.shown().rows()[-1] == ["new", "est"]
        ),
        "The list makes sea": lambda it: (
            (it.shown("as 5\nsea 3\nseas").column(2), it.shown("as 5\nsea 3\nseas").rows()[-1])
            == (["as", "se", "sea"], ["se", "as"])
        ),
        "No merge of the list fits": lambda it: it.shown("low 5\nnew 6\nxyz").rows()[-1] == ["x", "y", "z"],
    },
    "byte-fallback": {
        "A vocabulary can begin": lambda it: (
            it.back("gpt2", it.text) == it.back("mistral-v1", it.text).strip() == it.text
        ),
        "In both, a token can be half": lambda it: any(
            "�" in one.raw.decode(errors="replace") for one in it.entries("gpt2", "🦕")
        ),
        "One picture, three people": a_token_ends_inside_each_person,
        "Nothing rare in it": lambda it: not any(one.startswith("<0x") for one in it.pieces("mistral-v1", "hello")),
    },
    "decode": {
        "Decoding joins tokens": lambda it: it.shown().column(2) == ["no", "no", "yes", "yes"],
        "GPT-2 marks nothing": lambda it: (
            b"".join(one.raw for one in it.entries("gpt2", it.text)).decode() == it.back("gpt2", it.text) == it.text
        ),
        "Lowercase letters": lambda it: (
            [it.back("bert-base-uncased", text) for text in ("A  b", "a b", "🦕", "ꙮ")]
            == ["a b", "a b", "[UNK]", "[UNK]"]
        ),
        "BERT and CLIP give back one": lambda it: (
            it.shown("two  spaces").column(1) == ["two spaces ", "two spaces", "two  spaces", "two  spaces"]
        ),
        "BERT cuts the apostrophe": lambda it: it.shown("don't").column(1)[1] == "don ' t",
        "Nothing is lost": lambda it: it.shown("hello world").column(1) == ["hello world ", *3 * ["hello world"]],
    },
    "pair-index": {
        "A merge changes only": the_index_makes_the_merges_of_counting_again,
        "Three tables do it": lambda it: it.shown().table(0)[0] == ["w </w>", "11", "11", "2"],
        "The heap is lazy": lambda it: (
            [text.rpartition(":")[2] for text in it.shown().sentences if "comes to the top" in text][:2]
            == [" the entry is stale and goes back with 3.", " the pair is gone, and so is the entry."]
        ),
        "This is safe": lambda it: all(
            step.said > step.frequency for step in index_steps(it) if isinstance(step, Stale)
        ),
        "On a book of a megabyte": lambda it: (
            (FIGURES.work[-1].merges, FIGURES.work[-1].index, FIGURES.work[-1].table) == (9744, 1_205_337, 325_109_005)
        ),
        "Every word contains": lambda it: "It changes 3 words of 3" in it.breaks(0).sentences[1],
        "No pair occurs twice": lambda it: not any("merged" in text for text in it.breaks(1).sentences),
    },
    "count-chunks": {
        "Cut a corpus": lambda it: it.shown().column(1) == it.shown().column(2),
        "A chunk needs nothing": lambda it: (BOOK.words, BOOK.different) == (258_719, 20_150),
        "Merges are not learned in chunks": a_chunk_alone_merges_another_pair,
        "All cuts move": lambda it: [row.label for row in it.breaks(0).steps[2].rows] == ["chunk 1"],
        "An even cut goes through": lambda it: {"<|", "|>"} <= {*it.breaks(1).column(0, 1)},
    },
    "real-corpus": {
        "First a corpus teaches": lambda it: (
            [BOOK.tokens[at] for at in (0, 4, 4872, 4879, -6, -10)]
            == [b" t", b" the", b" limbs", b" treacher", b" constitution", b"urthermore"]
        ),
        "Each new row saves less": lambda it: (
            [round(BOOK.byte_length / one.tokens, 1) for one in BOOK.uses] == [2.1, 2.7, 3.2, 3.8, 4.2]
        ),
        "With 10,000 rows": lambda it: BOOK.uses[-1].rare == 9676,
        "So the size follows": lambda it: BOOK.counts[-1] == 4,
        "Each row costs": lambda it: [round(FIGURES.uses[at].share, 2) for at in (1, -1)] == [0.02, 0.11],
        "Larger is not always": lambda it: (
            [(one.size, one.tokens) for one in FIGURES.uses[:3:2]] == [(10_000, 287_217), (50_257, 287_096)]
        ),
        "The book has neither": lambda it: max(map(len, it.breaks(0).rows()[0])) == 4,
        "What the book has often": lambda it: it.breaks(1).rows(-2) == it.breaks(1).rows(-3),
    },
    "wordpiece": {
        "What speaks for it": lambda it: (
            [it.breaks(at).row("tokens") for at in (0, 1)] == [["[UNK]"], ["cow", "##or", "##ker"]]
        ),
        "No token matches the snowman": lambda it: it.shown("☃man").row("tokens") == ["[UNK]"],
        "A person cuts co·worker.": lambda it: it.shown("coworker").row("tokens") == ["cow", "##or", "##ker"],
    },
    "learn-wordpiece": {
        "A pair that occurs twice": lambda it: (
            it.breaks(0).table(0)[0][:2] == ["q##u", "2"] and max(map(int, it.breaks(0).column(1, 0))) == 170
        ),
        "No pair occurs twice": lambda it: it.shown("abcdefgh").sentences[-1] == "No pair occurs twice: training ends.",
    },
    "unigram": {
        "A frequent word": lambda it: float(it.shown("the").table()[0][2].rstrip(" %")) > 99,
        "A word that training hardly saw": lambda it: len(it.shown("zzzz").rows()[-1]) >= 3,
    },
    "learn-unigram": {
        "A loss is an estimate": the_loss_of_tokens_is_not_what_their_removal_costs,
        "Two words and no others": lambda it: it.shown("abab 2\nbaba 2").rows()[1:] == [["abab"], ["baba"]],
        "Nothing occurs twice": lambda it: sorted(it.shown("ab 1\ncd 1").rows(0)[0]) == ["a", "b", "c", "d"],
        "The seed decides": lambda it: (
            it.breaks(2).table()
            == [
                ["substrings", "20 → 11", "−24.46", "ban nation ana"],
                ["merges of BPE", "16 → 11", "−21.82", "an band nation"],
            ]
        ),
    },
    "sampling": {
        "One segmentation is so probable": lambda it: int(it.shown("the").table()[0][2]) >= 16,
        "T5 has no longer token": lambda it: it.shown("qqq").question is None and len(it.shown("qqq").table()) == 1,
    },
    "sentencepiece": {
        "What normalization changes": lambda it: it.back("t5", it.text) == "The first No x2",
        "A typed ▁": lambda it: it.back("t5", "a▁b") == "a b",
        "Line breaks and indentation": lambda it: it.back("t5", it.broken[1]) == "def f(x): return x",
    },
    "trainers": {
        "BPE takes the most frequent": lambda it: (
            [row[:2] for row in it.shown().table(-2)]
            == [
                ["BPE", "most frequent pair"],
                ["WordPiece", "pair of the highest score"],
                ["Unigram", "least loss, to remove"],
            ]
        ),
        "One character: the three": lambda it: (
            len({re.sub("#+|[^a]", "", cell) for cell in it.shown("aaaa 5\naa 3").column(3, -2)}) == 1
        ),
        "Nothing is frequent": lambda it: not re.search("merges|removes", "".join(it.shown("ab 1\ncd 1").sentences)),
    },
    "parallel": {
        "One long sentence": lambda it: it.breaks(0).rows(6)[0].count("2") == 7,
        "No word occurs twice": lambda it: [len(it.breaks(1).table(at)) for at in (1, 3)] == [6, 6],
    },
    "pipeline": {
        "A tokenizer is a pipeline": lambda it: it.back("bert-base-uncased", "Héllo WORLD") == "hello world",
        "Lower case makes": lambda it: len({*it.ids("bert-base-uncased", "US and us")[::2]}) == 1,
        "Two words, and the second": lambda it: (
            it.breaks(1).row("truncate", 4)[-3:] == ["anti", "##dis", "##est"]
            and "5 tokens cut off" in it.breaks(1).sentences[4]
        ),
    },
    "special-tokens": {
        "A chat is one text.": the_careless_program_gives_more_than_the_careful_one,
        "A program that renders first": the_careless_program_gives_more_than_the_careful_one,
        "A chat template is a program.": lambda it: "{%" in it.registry.chat_template("qwen3").text,
        "Marks of another format": lambda it: it.breaks(0).sentences[-1].startswith("This message has [INST]"),
        "Parsed, these are two tokens": lambda it: (
            {"<|endoftext|>", "<|im_start|>"} <= {*it.registry.info("qwen3").special_tokens}
        ),
    },
    "numbers": {
        "A number is cut like a word": lambda it: ["GPT-4o", "no"] in [row[::2] for row in it.shown().table()],
        "Patterns read from the left": lambda it: (
            [it.pieces(id, "1234567") for id in ("cl100k_base", "o200k_base")] == [["123", "456", "7"]] * 2
        ),
        **dict.fromkeys(
            ("In 9.11 the last token", "The token 11 is more"),
            lambda it: [it.pieces("o200k_base", text)[-1] for text in ("9.11", "9.9")] == ["11", "9"],
        ),
        "With commas": commas_give_the_same_groups_from_both_sides,
    },
    "code": {
        "In code, spaces carry meaning": spaces_cost_gpt_2_twice_as_much_as_codex,
        "Where a name falls apart": spellings_of_one_name_have_other_pieces,
        "One name spelled in three ways": spellings_of_one_name_have_other_pieces,
        "T5 folds all white space": lambda it: "\n" not in it.back("t5", it.text),
        "Two tabs or sixteen spaces": lambda it: (
            len({len(it.ids("gpt2", line)) for line in it.broken[1].splitlines()}) == 2
        ),
    },
    "vectors": {
        "Training gives similar rows": lambda it: (
            {" ley", " loi", " Gesetz"} <= {*it.shown().column(0, -1)} - {*it.shown().column(0, 0)}
        ),
        "Its neighbours are just the other words": lambda it: (
            it.shown("vote").column(0, 1) == ["21"] and it.shown("vote").table()[0][1] == "1.00"
        ),
        "The word falls into several tokens.": lambda it: len(it.ids("o200k_base", " Staatsangehörigkeit")) > 1,
    },
    "next-token": {
        "A model continues tokens": only_the_right_beginning_is_continued_by_freedom,
        "The space at the end": lambda it: (
            220 not in it.ids("gpt2", training_text())
            and it.shown("Everyone has the right to ").sentences[-1].startswith("No context is left.")
        ),
        "Half a word": lambda it: it.pieces("gpt2", "Everyone has the rig")[-1] not in (" right", " r"),
        "The training text has Article 12": lambda it: (
            {" 12", " 13", " 123"} & {*it.pieces("gpt2", training_text())} == {" 12", " 13"}
        ),
    },
    "next-byte": {
        "A list covers a text": lambda it: all(
            "".join(row).startswith(it.text) and len("".join(row[:-1])) < len(it.text) for row in it.shown().rows()
        ),
        "A space that is a token of its own": lambda it: it.shown().table(0)[0] == [" ", "80.7 %"],
        "If a model writes only": lambda it: it.shown().steps[-1].facts[1].value == "100.0 %",
        "Half a word": lambda it: it.breaks(0).table() == [["h", "0.2 %", "100.0 %"]],
        "Is it Article 1": lambda it: (
            it.breaks(1).table(0) == [["end", "100.0 %"]] and it.breaks(1).table()[0] == ["0", "0 %", "9.1 %"]
        ),
        "The training text never": lambda it: it.breaks(2).sentences[-1].startswith("No token that the model"),
    },
    "languages": {
        "The same text costs several times": lambda it: max(premiums(it, it.text).values()) > 3,
        "Languages in Latin script": lambda it: max(premiums(it, "French, German, Spanish").values()) < 1.7,
        "A script that it hardly saw": every_script_that_is_rare_has_more_tokens_than_characters,
    },
    "vocabulary-size": {
        "Each doubling of the vocabulary": the_first_doublings_save_more_than_the_next,
        "A script that was rare": a_rare_script_gains_late,
        "What is frequent": lambda it: {*lengths(it, "the the the the the the")[4:]} == {6},
    },
    "superwords": {
        "A space after a colon": lambda it: (
            [token for _, tokens in it.breaks(0).all_rows() for token in tokens if ": " in token] == []
            and ["see:", " the s", "k", "y"] in it.breaks(0).rows(6)
        ),
        "Numbers stay apart": lambda it: (
            {"page ", " of "} <= {token for row in it.breaks(1).rows(-2) for token in row}
            and not any(re.search(r"\d.*\D|\D.*\d", token) for row in it.breaks(1).rows(7) for token in row)
        ),
    },
    "judging": {
        "No single number says": lambda it: (
            {(row[0], row[at]) for row in it.shown().table() for at in (2, 4)}
            >= {("words", "100.0 %"), ("bytes", "yes")}
        ),
        "No token of GPT-4o repeats": lambda it: (
            max(np.unique(it.ids("o200k_base", "every word here occurs just once"), return_counts=True)[1]) == 1
        ),
        "T5 makes two evenly used tokens": lambda it: (
            len(it.pieces("t5", it.broken[1])) == 2
            and "<unk>" in it.pieces("t5", it.broken[1])
            and renyi_efficiency(np.array([1, 1])) == 1
        ),
    },
    "extend": {
        "An added token is matched": the_added_token_cuts_another_word,
        "The added token pneumo": the_added_token_cuts_another_word,
        "Frequent words are tokens already": lambda it: (
            "nothing to add" in "".join(it.shown("the and of to in").sentences)
        ),
    },
    "glitch": {
        "A vocabulary can hold tokens": lambda it: {"unreachable", "undecodable"} <= verdicts(it, it.text),
        "Failing this test is no proof": lambda it: (
            verdicts(it, "o200k_base 3413") == {"unreachable"} and 3413 in it.ids("o200k_base", " I'M")
        ),
        "Known glitch tokens": lambda it: verdicts(it, "gpt2 43453 30208 37574 42090") == {"reachable"},
        "GLM-4 has the tokens": digits_of_glm_4_are_unreachable,
    },
    "patches": {
        "The model here counts": lambda it: len(DECLARATIONS) == 532,
        "The model learned from laws": the_model_of_bytes_is_as_unsure_of_each_digit,
        "The first byte of a letter": most_patches_begin_within_letters,
    },
    "pictures": {
        "A picture twice as wide": only_vit_grows_with_the_picture,
        "The pixels beyond": lambda it: it.shown("70 × 50").steps[-1].facts[0].value == f"{70 * 50 - 64 * 48}",
        "3,072 tokens": all_other_models_take_fewer_than_3072_tokens,
    },
    "sound": {
        "One tone: what is left": lambda it: it.shown("440").column(2)[1:] == ["−12.9 dB"] * 3,
        "A low tone and a high one": tones_repeat_in_the_codebooks,
    },
    "sequence": {
        "A model reads text, pictures and sound as one": text_pictures_and_sound_are_one_sequence,
        "A picture alone": lambda it: (
            [row[1:] for row in it.shown("<image>").table()][-3:-1] == [["14", "14"], ["2", "14"]]
        ),
        "Text alone": lambda it: [row[1:] for row in it.shown("What do you see?").table()][-3:-1] == [["5", "5"]] * 2,
        "The same picture three times": lambda it: (
            it.shown("<image><image><image> Which two are alike?").table()[1:3]
            == [["separators", "6", "6"], ["projected vectors", "36", "0"]]
        ),
    },
    "actions": {
        "A smooth movement": lambda it: zeros(it.text) > 0.5,
        "Decoding gives back": decoding_gives_the_levels_back,
        "Noise has all frequencies": lambda it: zeros(it.broken[0]) < 0.2,
        "A jump needs fast frequencies": lambda it: zeros(it.broken[0]) < zeros(it.broken[1]) < zeros(it.text),
    },
    "concepts": {
        "The library does not know": lambda it: (
            it.shown("He lives approx. 5 km away.").rows(-6)[0] == ["He lives approx.", "5 km away."]
        ),
        "Without signs": lambda it: len(it.shown("no signs at all and so no end").rows(-6)[0]) == 1,
    },
    "parameters": {
        "New pairs with zero keys": new_pairs_change_nothing,
        "The new values must not be zero": a_new_value_must_not_be_zero,
        "Softmax gives all weight": lambda it: (
            [factors(it, "1000 -2000 500")[name] for name in ("softmax", "factor kept")] == ["0", "0"]
        ),
        "The length of the scores": lambda it: outputs(it, "0.001") == outputs(it, "1000"),
    },
    "budget": {
        "Text, images and sound share": a_picture_takes_more_than_seventy_words,
        "A text is counted": images_cost_the_same_and_sound_by_its_length,
        "A tiny image takes as much": images_cost_the_same_and_sound_by_its_length,
        "An hour of sound": lambda it: 0.85 < prompt_tokens(it, "3600 s") / 128_000 < 1,
    },
    "history": {
        "Gage’s method learns": the_way_of_1994_gives_the_fewest,
        "What is not in the vocabulary": only_before_2019_something_is_unknown,
    },
    "tiktoken": {
        "Most pieces of an English text": nearly_every_piece_is_a_token,
        "Without its last sign": without_its_last_sign_the_text_is_plain,
        "No piece is a token": lambda it: "Of these, 0 are in the vocabulary" in it.breaks(1).sentences[2],
    },
    "likelihood": {
        "The score of the scene before": lambda it: best(it, it.text) == ["##i##n", "o##t", "##h##e"],
        "The score takes the pair": lambda it: best(it, it.broken[0]) == ["t##h", "q##u", "t##h"],
        "Each pair occurs once here": lambda it: len({*it.shown("abcdefgh").column(3)}) == 1,
    },
    "dropout": {
        "With p = 0 nothing": without_dropout_there_is_one_way,
        "Even a word that is a token": lambda it: len(it.ids("gpt2", "the")) == 1 and draws(it, "the")["0.5"][0] > 1,
        "Where no merge is possible": lambda it: {count for count, _ in draws(it, "qxzjw").values()} == {1},
    },
    "remedies": {
        "Languages with little text": each_remedy_halves_the_last_premium,
        "GPT-2’s pattern cuts the vowel signs": vowel_signs_cost_what_the_pattern_cuts,
        "With as much text as English": equal_shares_need_no_remedy,
        "The vocabulary stays as large": english_pays_for_the_others,
    },
    "characters": {
        "The paper takes it for improbable": characters_share_rows,
        "A Chinese and a Thai": lambda it: "อ takes the same rows as 中." in "".join(it.shown("中อ").sentences),
        "One sign, four characters": lambda it: [*map(len, it.shown("🏳️‍🌈").rows())] == [4, 1],
    },
    "recovery": {
        "One lost byte costs one character.": lambda it: (
            [len(text) - len(it.shown(text).rows()[-1]) for text in (it.text, "naïve", "日本語", "🌍🙂!")] == [1] * 4
        ),
        "Each ASCII letter is one byte": lambda it: it.shown("plain").rows()[-1] == [*"plain"],
        "Of a single sign": lambda it: it.shown("🌍").rows()[-1] == [],
    },
    "cost": {
        "A price and a window": lambda it: len({tokens for tokens, _ in costs(it, it.text).values()}) > 1,
        "GPT-4 was trained on little Burmese": burmese_has_more_tokens_than_characters_and_two_pages,
        "Digits compress badly": digits_are_cut_in_ones_or_threes,
        "Common English": lambda it: len({tokens for tokens, _ in costs(it, it.broken[2]).values()}) == 1,
    },
    "untrained": {
        "A merge can swallow": unused_tokens_stay_alike,
        "One token is left": one_token_leaves_six_unused,
        "No pair occurs twice": without_a_pair_nothing_is_unused,
    },
    "growing": {
        "BPE can revise earlier boundaries": lambda it: (
            [it.pieces("o200k_base", text) for text in ("strawberry", "strawberr")]
            == [["st", "raw", "berry"], ["st", "raw", "ber", "r"]]
        ),
        "Signs are merged": lambda it: (
            [it.pieces("o200k_base", text) for text in ("http://", "http:")] == [["http", "://"], ["http", ":"]]
        ),
        "A prompt that ends with a space": lambda it: (
            it.shown("x != y").column(1) == ["yes", "no", "no", "yes", "no", "yes"]
        ),
        "Words are cut at their spaces": lambda it: it.shown("a b c").column(1) == ["yes", "no", "yes", "no", "yes"],
    },
    "byte-latent": {
        "Patches of two bytes": short_patches_cost_more_than_tokens,
        "After the first byte": one_patch_costs_less_than_half,
    },
}
"""Checks of claims and of texts that break a scene, by scene and by the beginning of the sentence."""


def sentences():
    for one in SCENES:
        yield from ((one.id, claim.text) for claim in (one.claim, *one.explains) if claim.basis == "computed")
        yield from ((one.id, broken.shows) for broken in one.broken)


@pytest.mark.parametrize(("id", "text"), [*sentences()])
def test_what_is_called_computed_is_what_the_engines_compute(registry, id, text):
    (check,) = (check for beginning, check in CLAIMS[id].items() if text.startswith(beginning))
    assert check(Scene(registry, id))


def test_every_check_is_of_a_sentence():
    for scene, checks in CLAIMS.items():
        for beginning in checks:
            assert [text for id, text in sentences() if id == scene and text.startswith(beginning)], (scene, beginning)


WEAKENED = {
    ("learn/scenes/bytes.toml", "Unicode has room for 1,112,064 characters"): lambda registry: (
        0x110000 - len(range(0xD800, 0xE000)) == 1_112_064
    ),
    ("learn/scenes/learn-bpe.toml", "est is anywhere but at the end"): lambda registry: (
        [row[-1] for row in Scene(registry, "learn-bpe").shown().rows() if any("est" in token for token in row)]
        == ["est</w>"] * 2
    ),
    ("learn/scenes/likelihood.toml", "often a third larger, but the same pair wins"): lambda registry: (
        estimated_gains(registry) == [("##h##e", 1.42), ("##i##n", 1.26), ("##n##g", 1.26)]
    ),
    ("learn/chapters.toml", "Whether it errs because of that is not proven"): lambda registry: (
        [Scene(registry, "numbers").pieces("o200k_base", text)[-1] for text in ("9.11", "9.9")] == ["11", "9"]
    ),
    ("languages/_fragment.html", "this translation is short, not that the language is cheap"): lambda registry: (
        [len(DECLARATIONS[code].articles[1].encode()) for code in ("cbs", "eng")] == [92, 180]
    ),
    ("beyond/bytes/_cuts.html", "The model that makes these patches is tiny"): lambda registry: (
        load(Settings().store).entropies(b"strawberry").mean() > 1
    ),
}
"""What a sentence that once said too much still says, by the file that has it."""


def estimated_gains(registry):
    """The gains of the scene on likelihood as multiples of their estimates, of the three largest estimates."""
    rows = Scene(registry, "likelihood").shown().table()
    tokens = 6 * 4 + 14 * 4 + 9 * 5 + 3 * 5
    estimates = {name: (int(count) * log(tokens * float(score)), float(gain)) for name, count, score, gain in rows}
    first = sorted(estimates.items(), key=lambda item: -item[1][0])[:3]
    return [(name, round(gain / estimate, 2)) for name, (estimate, gain) in first]


@pytest.mark.parametrize(("path", "sentence"), [*WEAKENED])
def test_a_sentence_that_said_too_much_says_what_holds(registry, path, sentence):
    assert sentence in (ROOT / "templates" / path).read_text()
    assert WEAKENED[path, sentence](registry)


TRANSFERS = {
    "ids": lambda it: it.pieces("o200k_base", "s t r a w b e r r y") == ["s", *map(" {}".format, "trawberry")],
    "bytes": lambda it: [len(letter.encode()) for letter in "हिन्दी"] == 6 * [3] and 255 // 3 == 85,
    "learn-bpe": lambda it: it.shown(f"{it.text}\nzz 100").rows(2)[-1] == ["zz", "</w>"],
    "pretokenize": lambda it: (
        [[one for _, one in pretokenize("405", pattern)] for pattern in (r"\p{N}{1,3}", r"\p{N}")]
        == [["405"], [*"405"]]
    ),
    "words": lambda it: it.shown("code AX-4711 code\nAX-4712").rows()[-2][:1] == ["[UNK]"],
    "bpe": lambda it: (
        [encode_by_pairs("abc", merges) for merges in ([("a", "b"), ("b", "c")], [("b", "c"), ("a", "b")])]
        == [["ab", "c"], ["a", "bc"]]
    ),
    "new-word": lambda it: encode_by_pairs("newer", [("e", "r"), ("n", "e"), ("ne", "w")]) == ["new", "er"],
    "byte-fallback": lambda it: not it.entries("gpt2", "🦕")[0].raw.decode(errors="ignore"),
    "wordpiece": lambda it: wordpiece.encode("playx", {"play", "##ing"}) == ["[UNK]"],
    "dropout": without_dropout_there_is_one_way,
    "pipeline": lambda it: it.ids("bert-base-uncased", "US") == it.ids("bert-base-uncased", "us"),
    "tiktoken": lambda it: it.shown().column(1)[0] == "ValueError",
    "recovery": lambda it: it.shown("中文").answer() == "1",
    "extend": the_added_token_cuts_another_word,
    "growing": lambda it: [it.pieces("o200k_base", text)[-1] for text in ("http:", "http://")] == [":", "://"],
    "pictures": only_vit_grows_with_the_picture,
    "actions": lambda it: zeros(it.broken[0]) < zeros(it.text),
    "budget": a_picture_takes_more_than_seventy_words,
    "decode": lambda it: it.back("bert-base-uncased", "Café  NOIR 🦕") == "cafe noir [UNK]",
    "unigram": lambda it: 2**19 == 524_288,
    "learn-wordpiece": lambda it: (10 / (20 * 20), 50 / (100 * 500)) == (0.025, 0.001),
    "sentencepiece": lambda it: it.back("t5", "def f(x):\n    return x") == "def f(x): return x",
    "numbers": lambda it: (
        [it.pieces("cl100k_base", text) for text in ("1234", "12345")] == [["123", "4"], ["123", "45"]]
    ),
    "code": lambda it: [len(it.pieces(id, "        return")) for id in ("gpt2", "o200k_base")] == [8, 2],
    "cost": lambda it: (
        len(it.pieces("o200k_base", DECLARATIONS["mya"].text)) < len(it.pieces("cl100k_base", DECLARATIONS["mya"].text))
    ),
    "vocabulary-size": lambda it: (128_000 - 32_000) * 4096 == 393_216_000,
}
"""Checks of the answers of transfer questions that an engine can compute."""


@pytest.mark.parametrize("id", TRANSFERS)
def test_the_answer_elsewhere_is_what_the_engines_compute(registry, id):
    assert TRANSFERS[id](Scene(registry, id))
