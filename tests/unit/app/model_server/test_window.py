import pytest

from app.model_server import window


@pytest.mark.parametrize(
    ("words", "key", "value"),
    [
        ("My name is Ann", "name", "Ann"),
        ("my name's Ann, by the way", "name", "Ann"),
        ("Call me Ann and I will answer", "name", "Ann"),
        ("Well, my dog is called Rex.", "dog", "Rex"),
        ("My dog's name is Rex!", "dog", "Rex"),
        ("My dog\N{RIGHT SINGLE QUOTATION MARK}s name is Rex", "dog", "Rex"),
        ("My dog's favourite toy is a ball", "dog's favourite toy", "a ball"),
        ("My email is ann@example.org. Thanks", "email", "ann@example.org"),
        ("my order number is 44-71", "order number", "44-71"),
        ("My favourite foods are fish and chips", "favourite foods", "fish and chips"),
    ],
)
def test_reads_a_statement(words: str, key: str, value: str) -> None:
    assert window.stated(words) == {key: value}


@pytest.mark.parametrize(
    "words",
    [
        "What is my name?",
        "The dog is here",
        "my oh my",
        "",
        "Call me on +49 171 5556677",
        "Please call me back tomorrow",
    ],
)
def test_reads_no_statement(words: str) -> None:
    assert window.stated(words) == {}


@pytest.mark.parametrize(
    ("words", "thing"),
    [
        ("What is my name?", "name"),
        ("what's my dog's name", "dog's name"),
        ("Hello! What is my dog called again?", "dog"),
        ("Do you remember my order number?", "order number"),
        ("My dog is Rex.", None),
        ("What is the time?", None),
    ],
)
def test_reads_a_question(words: str, thing: str | None) -> None:
    assert window.asked_for(words) == thing


def test_prefers_the_newest_value() -> None:
    assert window.value_of("cat", ["My cat is Tom", "My cat is Kit", "Hm"]) == "Kit"


def test_finds_a_number_by_its_noun() -> None:
    said = ["Order 4471 is late", "order number: A-9, the order of things"]
    assert window.value_of("order number", said[:1]) == "4471"
    assert window.value_of("ticket number", said) is None
