"""The regions of a stage are chosen for the texts that have most to show."""

from dataclasses import replace

from tokenarium.lab.steps.choosing import choose_letters_beside_code, choose_regions
from tokenarium.lab.steps.drawing import Drawing
from tokenarium.lab.steps.measures import LINE, ROW, find_turn
from tokenarium.lab.steps.regions import Regions, draw, measure_height, place
from tokenarium.lab.steps.step import MergeTreeNode, Row, Step, Table, Tile, TileRow


def make_step(count, *, table=None):
    row = TileRow(tuple(Tile("token", at) for at in range(count)))
    return Step(("Tokens.",), (row,), table=table)


def test_letters_get_smaller_before_a_row_wraps_but_not_the_smallest():
    steps = [make_step(count) for count in (2, 10, 15, 16)]
    chosen = [choose_regions([step]) for step in steps]
    assert [one.letters for one in chosen] == [132, 44, 30, 52]
    heights = [measure_height(step, one) for step, one in zip(steps[-2:], chosen[-2:], strict=True)]
    assert heights == [30 * ROW, 52 * (ROW + LINE)]


def test_no_tile_stands_alone_in_the_last_line_of_a_row():
    row = make_step(12).rows[0]
    assert find_turn(row, 46) == 10
    assert find_turn(row, 40) == 0
    assert find_turn(replace(row, left_out_after=3), 46) == 0


def test_a_figure_takes_the_height_that_its_rows_leave():
    figure = Drawing(500, 400)
    high = [measure_height(Step((), rows, figure=figure), Regions(side=42)) for rows in ((), make_step(2).rows)]
    assert high == [Regions().height] * 2


def test_a_picture_beside_the_code_has_the_largest_letters_that_have_room_there():
    steps = [make_step(count) for count in (2, 40, 1000)]
    regions = [choose_regions([step]) for step in steps]
    assert [choose_letters_beside_code(*one) for one in zip(steps, regions, strict=True)] == [84, 38, 0]
    assert choose_regions(steps).beside_code == 28


def test_a_narrow_table_leaves_the_picture_its_width():
    table = Table("Counts", ("pair", "count"), (Row(("l o", "5")),))
    assert choose_regions([make_step(9, table=table)]).side == 30


def test_the_words_around_a_token_stay_in_one_line_with_the_one_on_stage():
    words = [Tile(f"word{at}", at, mark="new" if at == 30 else "") for at in range(60)]
    placed = place(Step((), around=TileRow(tuple(words), left_out_after=9)), Regions()).around
    assert placed == TileRow(tuple(words[24:34]), left_out_before=24, left_out_after=35)


def test_a_token_that_no_merge_made_is_not_drawn_again_as_a_tree():
    letters = tuple(MergeTreeNode(Tile(letter, at)) for at, letter in enumerate("ab"))
    merged = MergeTreeNode(Tile("ab", 2), 1, letters)
    step = Step((), (TileRow((Tile("ab", 2),)),), number=1)
    assert draw(step, Regions(), letters) is None
    assert [box.text for box in draw(step, Regions(), [merged]).boxes] == ["a", "b", "ab"]


def test_regions_that_stand_below_each_other_have_the_height_of_the_highest_step():
    table = Table("Counts", ("pair", "count"), tuple(Row((f"l {at}", "5")) for at in range(9)))
    assert choose_regions([make_step(2)]).narrow == (5, 5)
    assert choose_regions([make_step(2), make_step(30, table=table)]).narrow == (20, 16)
