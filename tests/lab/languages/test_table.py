"""Regions are bounded by coordinates, and agree with where languages are known to be spoken."""

import pytest
from tokenarium.lab.languages.atlas import read_atlas
from tokenarium.lab.languages.table import REGIONS, region
from tokenarium.settings import Settings

PLACES = {row.code: row.place for row in read_atlas(Settings().store).languages}
KNOWN = {
    "africa": ["arb", "ewe", "heb", "mlt", "pes_1", "plt", "som", "tzm", "wol", "zul"],
    "americas": ["arn", "chr_cased", "hat_kreyol", "ike", "kal", "nav", "por_BR", "quy", "yua"],
    "asia": ["cmn_hans", "dzo", "hin", "jpn", "kor", "mya", "shn", "sin", "tgl", "yrk"],
    "europe": ["deu_1996", "eng", "hye", "kat", "por_PT", "rus", "sme", "tur"],
    "oceania": ["cha", "fij", "haw", "ind", "jav", "mah", "mri", "smo", "tah", "tpi", "yap"],
}


@pytest.mark.parametrize("name", REGIONS)
def test_languages_are_where_they_are_spoken(name):
    assert {code: region(PLACES[code]) for code in KNOWN[name]} == dict.fromkeys(KNOWN[name], name)


def test_only_a_language_without_a_place_has_no_region():
    assert {code for code, place in PLACES.items() if region(place) is None} == {
        code for code, place in PLACES.items() if place is None
    }
