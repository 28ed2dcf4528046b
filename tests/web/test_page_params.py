"""Parameters of pages: what a form or an address says, what it leaves out, and the address that says it again."""

import pytest
from tokenarium.errors import Invalid
from tokenarium.lab.option_schema import AnyValue, Items, Options, declare
from tokenarium.web.forms import Form
from tokenarium.web.page_params import drop_long_address, read_params, write_address


class BrewParams(Options):
    text: str = declare("Text", "Earl Grey")
    names: Items[str] = declare("Names", ["a"], field="name")
    cups: int = declare("Cups", 2, ge=1, le=8)
    tea: str = declare("Tea", "green", choices={"green": "Green", "black": "Black"})
    hot: bool = declare("Hot", True)
    milk: bool = declare("Milk", False)
    price: float | None = declare("Price", None)
    currency: str = declare("Currency", "euro", used_by=({"price": AnyValue()},))


def test_what_an_address_lacks_has_its_default() -> None:
    assert read_params(Form({}), BrewParams, posted=False) == BrewParams()


def test_a_posted_form_without_a_check_box_or_a_list_has_none() -> None:
    read = read_params(Form({"text": ["x"]}, text="x"), BrewParams)
    assert read == BrewParams(text="x", names=[], hot=False)


def test_every_kind_of_field_is_read() -> None:
    fields = {"name": ["b", "", "c", "b"], "cups": ["8"], "tea": ["black"], "hot": ["0"], "milk": ["1"]}
    fields |= {"price": ["2.50"], "currency": ["a\r\nb"]}
    read = read_params(Form(fields), BrewParams, posted=False, text="given")
    assert read == BrewParams(
        text="given", names=["b", "c"], cups=8, tea="black", hot=False, milk=True, price=2.5, currency="a\nb"
    )


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("cups", "9", "cups must be a whole number from 1 to 8."),
        ("cups", "x", "cups must be a whole number from 1 to 8."),
        ("tea", "red", "tea must be one of green, black."),
        ("price", "x", "price must be a number from 0."),
    ],
)
def test_what_is_refused_names_its_field(name: str, value: str, message: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_params(Form({name: [value]}), BrewParams)
    assert (caught.value.detail, caught.value.pointer) == (message, f"/{name}")


def test_an_address_has_what_differs_and_what_is_always_there() -> None:
    assert write_address("/brew", BrewParams(), always=("cups",)) == "/brew?cups=2"
    params = BrewParams(names=["b", "c"], hot=False, milk=True, currency="pound")
    assert write_address("/brew", params, more="1") == "/brew?name=b&name=c&hot=0&milk=1&more=1"
    assert write_address("/brew", BrewParams(price=1.5, currency="pound")) == "/brew?price=1.5&currency=pound"


def test_an_address_that_no_link_can_carry_is_dropped() -> None:
    assert drop_long_address("/?" + "a" * 5_998)
    assert not drop_long_address("/?" + "a" * 5_999)
