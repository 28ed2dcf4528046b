"""Every component of a pipeline has a text, every parameter a meaning, and every example is what the component does."""

import pytest
from tokenarium.files.tokenizer_json.read import components
from tokenarium.lab.pipeline.cards import default_component
from tokenarium.lab.pipeline.parameters import COMPONENTS, MODELS, component_docs, example_parameters
from tokenarium.scratch.compat.aligned import AlignedText

ALL = [(stage, type, own) for stage, table in [*COMPONENTS.items(), ("model", MODELS)] for type, own in table.items()]


@pytest.mark.parametrize(("stage", "type", "parameters"), ALL)
def test_a_component_is_documented_with_each_of_its_parameters(stage, type, parameters):
    names = [one.name for one in parameters]
    docs = component_docs(stage, type, names)
    assert docs.about.endswith(".")
    assert [*docs.parameters] == names


def made(stage, type, text):
    part = {**default_component(stage, type), **example_parameters(stage, type)}
    (component,) = components(part, stage)
    if stage == "normalizer":
        return [component.normalize(AlignedText.of(text)).text]
    if stage == "pre_tokenizer":
        return [word.text for word in component.pre_tokenize(AlignedText.of(text))]
    return component.decode([text])


def test_every_example_is_what_the_component_makes_of_the_text():
    wrong = []
    for stage, type, _ in ALL:
        example = component_docs(stage, type, []).example
        if example and [*example[1]] != made(stage, type, example[0]):
            wrong.append((stage, type, example, made(stage, type, example[0])))
    assert wrong == []
