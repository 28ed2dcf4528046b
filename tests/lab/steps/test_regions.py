"""The regions of a stage are chosen for the texts that have most to show."""

from tokenarium.lab.steps.regions import ROW, Regions, choose_regions, draw, measure_height, place
from tokenarium.lab.steps.step import MergeTreeNode, Row, Step, Table, Tile, TileRow


def make_step(count, *, table=None):
    row = TileRow(tuple(Tile("token", at) for at in range(count)))
    return Step(("Tokens.",), (row,), table=table)


def test_letters_get_smaller_before_a_row_wraps():
    steps = [make_step(count) for count in (2, 10, 14)]
    chosen = [choose_regions([step]) for step in steps]
    assert [one.letters for one in chosen] == [84, 44, 30]
    assert measure_height(steps[-1], chosen[-1]) == 30 * ROW


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
