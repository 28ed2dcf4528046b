"""The page about BPE on a megabyte: the work of the learners, and what comes of it."""


def test_the_page_has_the_pairs_of_each_learner_and_the_rows_of_each_vocabulary(ask):
    page = ask("GET", "/learn/at-scale").text
    assert "811,090,949, 325,109,005 and 1,205,337 pairs" in page
    assert 'aria-label="Pairs looked at in 9,744 merges: 811,090,949, 325,109,005 and 1,205,337"' in page
    assert page.count('<figure class="chart">') == 4
    for rare in ("9,676", "31,599", "49,937", "99,938", "199,699"):
        assert f"<td>{rare}</td>" in page


def test_the_page_is_one_of_its_chapter(ask):
    assert 'href="/learn/at-scale"' in ask("GET", "/learn").text
    assert 'href="/learn#at-scale"' in ask("GET", "/learn/at-scale").text
