"""A component is one class; the form, the reader of a tokenizer.json and the pipeline have all that the library has."""

from dataclasses import fields

import pytest
from tokenarium.files.tokenizer_json.read import components
from tokenarium.lab.pipeline.cards import default_component
from tokenarium.lab.pipeline.parameters import COMPONENTS as FORMS
from tokenarium.scratch.compat.pipeline.component import PipelineComponent
from tokenarium.scratch.compat.pipeline.components import COMPONENTS
from tokenizers import decoders, normalizers, pre_tokenizers, processors

LIBRARY = {
    "normalizer": (normalizers.Normalizer, "normalize"),
    "pre_tokenizer": (pre_tokenizers.PreTokenizer, "pre_tokenize"),
    "post_processor": (processors.PostProcessor, "process"),
    "decoder": (decoders.Decoder, "decode"),
}
"""The class of the library that all components of a stage have as their base, and the method of ours."""
NOT_SUPPORTED = {"Sequence"}
"""Files have it, but no pipeline: its components are read one by one."""
EVERY = [(stage, kind) for stage, classes in COMPONENTS.items() for kind in classes]
BY_HAND = {"cls": ["[CLS]", 1], "sep": ["[SEP]", 2], "precompiled_charsmap": "BAAAAAAAAAAA"}
"""Options that a form fills in from the vocabulary: tokens with their ids, and an empty character map."""


def leaves(component):
    below = component.__subclasses__()
    return {component}.union(*map(leaves, below)) - {component} if below else {component}


def test_every_class_of_a_component_is_in_the_table():
    assert leaves(PipelineComponent) == {one for classes in COMPONENTS.values() for one in classes.values()}


@pytest.mark.parametrize("stage", COMPONENTS)
def test_the_components_are_those_that_the_library_knows(stage):
    library, _ = LIBRARY[stage]
    known = {one.__name__ for one in library.__subclasses__()}
    assert {*COMPONENTS[stage]} == known - NOT_SUPPORTED


@pytest.mark.parametrize(("stage", "kind"), EVERY)
def test_a_component_of_the_form_is_read_as_an_object_of_its_class_with_the_method_of_its_stage(stage, kind):
    spec = default_component(stage, kind)
    (part,) = components({name: BY_HAND.get(name, value) for name, value in spec.items()}, stage)
    assert type(part) is COMPONENTS[stage][kind]
    assert callable(getattr(part, LIBRARY[stage][1]))


@pytest.mark.parametrize(("stage", "kind"), EVERY)
def test_the_form_has_the_options_of_the_class(stage, kind):
    component = COMPONENTS[stage][kind]
    options = {one.name for one in fields(component)}
    assert {*default_component(stage, kind)} == {"type", *options}
    shown = set() if stage in component.without_form else options - {"special_tokens"}
    assert {one.name for one in FORMS[stage][kind]} == shown
