"""The architectures of concept models: one description gives the drawing and the counts."""

from tokenarium.lab.learn.architectures import ARCHITECTURES, draw_architecture
from tokenarium.lab.learn.course import scene
from tokenarium.lab.learn.scene import trace_scene
from tokenarium.lab.steps.step import Tile


def test_a_drawing_has_each_part_the_last_three_sentences_and_the_next_one():
    sentences = [Tile("", at) for at in range(5)]
    base, _, two_tower, quantized = (draw_architecture(one, sentences) for one in ARCHITECTURES)
    assert [box.text for box in two_tower.boxes if box.text] == ["3", "4", "5", "6", "6"]
    assert [label.text for label in two_tower.labels if label.bold] == [
        *("PreNet", "PreNet", "Contextualizer", "Denoiser", "PostNet", "40 steps, with less noise each")
    ]
    assert [len([stroke for stroke in one.strokes if not stroke.kind]) for one in (base, two_tower)] == [4, 6]
    assert [stroke.kind for stroke in quantized.strokes if stroke.kind] == ["new"]
    assert all(label.y < one.height for one in (base, two_tower) for label in one.labels)


def test_a_denoiser_that_reads_the_context_once_runs_fewer_layers(registry):
    question = trace_scene(scene("concepts"), "One. Two. Three.", registry, kind="estimate").question
    assert (question.right.label, question.choices[1].label) == (("1575",), ("2160",))
