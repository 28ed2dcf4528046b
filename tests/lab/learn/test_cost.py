"""What a text costs in the course is what the page of costs says."""

from tokenarium.lab.costs import count_costs, find_paid
from tokenarium.lab.learn.cost import MODELS, trace_cost
from tokenarium.lab.prices import format_dollars


def test_tokens_and_dollars_are_those_of_the_page_of_costs(registry):
    text = "Zwölf Boxkämpfer jagen 1234567 Eulen."
    steps = trace_cost(text, registry).steps
    shown = {row.cells[0]: row.cells[1:3] for row in steps[-1].table.rows}
    costs = count_costs(registry, text, find_paid(MODELS), limit=1000)
    assert shown == {one.model.name: (f"{one.tokens.low:,}", format_dollars(one.many.low)) for one in costs}


def test_a_model_without_a_published_tokenizer_has_a_range(registry):
    (sentence,) = trace_cost("Hello", registry).steps[-1].sentence
    assert sentence.startswith("Anthropic publishes no tokenizer for Claude Sonnet 5. Its count is 1 to 2 tokens")
