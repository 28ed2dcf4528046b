"""Settings are read from the environment: new names, former names, and values that are refused."""

from ipaddress import IPv4Network
from pathlib import Path

import pytest
from tokenarium.settings import Settings

FORMER = {"TOKENARIUM_SLOTS": "TOKENARIUM_WORKERS_PER_PROCESS", "TOKENARIUM_WAITING": "TOKENARIUM_QUEUE_SIZE"}


def test_without_variables_all_are_defaults():
    assert Settings.from_env({}) == Settings()


def test_variables_are_read():
    env = {
        "HOST": "0.0.0.0",
        "PORT": "80",
        "TOKENARIUM_ALLOWED_HOSTS": "a.example, b.example",
        "TOKENARIUM_STORE": "store",
        "TOKENARIUM_KEEP": "off",
        "TOKENARIUM_BODY_TIMEOUT": "3",
        "TOKENARIUM_PROXIES": "10.0.0.0/8",
    }
    settings = Settings.from_env(env)
    assert (settings.host, settings.port, settings.allowed_hosts) == ("0.0.0.0", 80, ("a.example", "b.example"))
    assert (settings.store, settings.local, settings.keep) == (Path("store"), Path("store/local"), False)
    assert (settings.body_timeout, settings.proxies) == (3, (IPv4Network("10.0.0.0/8"),))


@pytest.mark.parametrize(("former", "name"), FORMER.items())
def test_former_names_still_work_and_new_ones_win(former, name):
    assert Settings.from_env({former: "7"}) == Settings.from_env({name: "7"}) != Settings()
    assert Settings.from_env({former: "7", name: "8"}) == Settings.from_env({name: "8"})


@pytest.mark.parametrize("value", ["-1", "1.5", "many", ""])
def test_what_is_no_whole_number_is_refused_by_the_name_that_was_used(value):
    for name in ("PORT", *FORMER):
        with pytest.raises(SystemExit, match=f"{name} must be a whole number"):
            Settings.from_env({name: value})


def test_a_switch_is_on_or_off():
    with pytest.raises(SystemExit, match="TOKENARIUM_LOG must be on or off, not 'yes'"):
        Settings.from_env({"TOKENARIUM_LOG": "yes"})


@pytest.mark.parametrize(("value", "hall"), [("on", True), ("OFF", False)])
def test_halls_are_switched_on_or_off(value, hall):
    assert Settings.from_env({"TOKENARIUM_HALL": value}).hall is hall
