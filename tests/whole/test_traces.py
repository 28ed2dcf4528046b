"""Golden traces: every step of each scene with its own text and of each example, a line each, to see what changes.

`TAKE_TRACES=1` takes them again: read the difference before you commit it.
"""

import os
from pathlib import Path

from tokenarium.lab.learn.course import SCENES
from tokenarium.lab.learn.scene import trace_scene
from tokenarium.lab.steps.examples import EXAMPLES
from tokenarium.lab.steps.runs import follow
from tokenarium.lab.steps.step import Tile
from tokenarium.lab.steps.tiles import visible

GOLDEN = Path(__file__).parent.parent / "golden" / "traces.txt"
MARKS = {"new": "[{}]", "missed": "×{}×", "rest": "({})", "special": "<{}>", "unknown": "?{}?", "byte": "0x{}"}
LONGEST = 40
"""Steps of an example that the file has."""


def spell(words):
    """Return a sentence or a cell, its tiles in brackets, what cannot be seen by its sign."""
    parts = [words] if isinstance(words, str) else words
    return "".join(f"⟦{visible(one.text)}⟧" if isinstance(one, Tile) else visible_line(one) for one in parts)


def visible_line(text):
    return text.replace("\n", "↵")


def spell_row(row):
    tiles = []
    for tile in row.tiles:
        text = "+".join(visible(half.text) for half in tile.halves) or visible(tile.text)
        tiles.append(MARKS.get(tile.mark, "{}").format(text))
    before = [f"{row.left_out_before} …"] * bool(row.left_out_before)
    after = [f"… {row.left_out_after}"] * bool(row.left_out_after)
    return " ".join([f"{row.label}:"] * bool(row.label) + before + tiles + after)


def spell_table(table):
    rows = [
        ("* " if row.chosen else "× " if row.struck else "") + " · ".join(map(spell, row.cells)) for row in table.rows
    ]
    heads = " · ".join(table.heads)
    return f"{table.title} ({heads}) {'; '.join(rows)}{f'; +{table.left_out}' if table.left_out else ''}"


def spell_facts(facts):
    return ", ".join(f"{fact.name} = {fact.value}{f' ({fact.change})' if fact.change else ''}" for fact in facts)


def spell_figure(figure):
    size = f"{figure.width:g}×{figure.height:g}, {len(figure.boxes)} boxes, {len(figure.strokes)} strokes"
    texts = " ".join(visible_line(one.text) for one in figure.texts)
    return f"figure {size}: {texts}"


def spell_lattice(lattice):
    arcs = [f"{'*' * arc.best}{arc.start}-{arc.end} {visible(arc.tile.text)} {arc.value}" for arc in lattice.arcs]
    return f"lattice {' '.join(map(visible, lattice.characters))}: {'; '.join(arcs)}; sums {' '.join(lattice.sums)}"


def spell_step(step):
    more = f" / +{step.rows_left_out}" if step.rows_left_out else ""
    parts = [step.stage, spell(step.sentence), " / ".join(map(spell_row, step.rows)) + more]
    parts += [f"around {spell_row(step.around)}"] if step.around else []
    parts += [spell_table(step.table)] if step.table else []
    parts += [f"{step.learned_count} learned: {spell(step.learned)}"] if step.learned else []
    parts += [spell_facts(step.facts)] if step.facts else []
    parts += [spell_lattice(step.lattice)] if step.lattice else []
    parts += [spell_figure(step.figure)] if step.figure else []
    parts += [f"columns {step.columns}"] if step.columns else []
    parts += [f"line {step.line[0]} +{' '.join(sorted(step.symbols))}"] if step.line[0] else []
    parts += ["ask"] if step.predictable else []
    return " | ".join(filter(None, parts))


def spell_question(question):
    choices = [f"{'*' * one.right}{spell(one.label)}: {one.reason}" for one in question.choices]
    parts = [f"{question.kind}: {spell(question.prompt)}", " / ".join(choices), f"shown at {question.shown_at}"]
    return " | ".join([*parts, *([" ".join(question.parts)] if question.parts else []), spell_step(question.given)])


def trace_lines(registry):
    for scene in SCENES:
        trace = trace_scene(scene, scene.text, registry)
        yield f"# {scene.id}"
        for kind in trace.kinds:
            yield f"? {spell_question(trace_scene(scene, scene.text, registry, kind=kind).question)}"
        yield from (f"{number} {spell_step(step)}" for number, step in enumerate(trace.steps))
    for example in EXAMPLES:
        run = follow(registry, example.options)
        yield f"# /steps {example.id}, {run.total} steps"
        yield from (f"{step.number} {spell_step(step)}" for step in run.steps(0, LONGEST))


def test_scenes_and_examples_have_the_steps_of_the_golden_traces(registry):
    lines = [*trace_lines(registry)]
    if os.environ.get("TAKE_TRACES"):
        GOLDEN.write_text("\n".join(lines) + "\n")
    assert lines == GOLDEN.read_text().splitlines()
