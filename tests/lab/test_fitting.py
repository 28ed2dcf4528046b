"""A fitted text has at most its budget of tokens, is a start or an end of the text, and splits no character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import Invalid
from tokenarium.lab.cells import clusters
from tokenarium.lab.fitting import fit

PIECES = [*"ab c.\n", "\xe9", "e\u0301", "👩‍🚀", "你", "<s>", "▁", "  "]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@pytest.mark.parametrize("id", ["gpt2", "t5", "mistral-v3", "bert-base-uncased"])
@given(text=TEXTS, budget=st.integers(0, 20), keep=st.sampled_from(["start", "end"]))
def test_what_fits_has_no_more_tokens_than_the_budget(registry, id, text, budget, keep):
    tokenizer = registry.get(id)
    fitted = fit(registry, text, tokenizer=id, budget=budget, keep=keep)
    assert fitted.whole == len(tokenizer.encode(text))
    assert len(tokenizer.encode(fitted.text)) == fitted.count <= budget
    assert (text.startswith if keep == "start" else text.endswith)(fitted.text)
    if fitted.whole <= budget:
        assert fitted.text == text
    rest = text[len(fitted.text) :] if keep == "start" else text[: len(text) - len(fitted.text)]
    parts = [fitted.text, rest] if keep == "start" else [rest, fitted.text]
    assert [cluster for part in parts for cluster in clusters(part)] == [*clusters(text)]


def test_a_wrong_budget_is_refused(registry):
    with pytest.raises(Invalid, match="at least 0, not -1"):
        fit(registry, "a", tokenizer="gpt2", budget=-1)
    with pytest.raises(Invalid, match="start or end, not 'middle'"):
        fit(registry, "a", tokenizer="gpt2", budget=1, keep="middle")
