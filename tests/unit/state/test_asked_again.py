"""Labelled replies: which of them ask for a fact that the bot has."""

import pytest

from state.asked_again import asked_again
from state.catalogue import Kind
from state.facts import Fact, Facts


def fact(kind: str, value: str) -> Fact:
    return Fact(
        kind=kind,
        value=value,
        turn=2,
        said="2026-11-30",
        about="",
        quote=value,
        by="user",
        was="",
        found="model",
    )


VALUES = {
    "customer_name": "Ada Lovelace",
    "order_number": "LH20481137",
    "address": "12 Mill Lane, Leeds",
    "email": "ada@example.org",
    "phone": "+44 20 7946 0000",
    "must_not": "nuts",
}
KNOWN: Facts = {kind: [fact(kind, value)] for kind, value in VALUES.items()}

TRUE = [
    ("Could you please give me your order number?", "order_number"),
    ("I will look into it. What is your order number?", "order_number"),
    ("I'll need your e-mail address to go on.", "email"),
    ("Please provide your phone number, so that we can call.", "phone"),
    ("May I have your full name?", "customer_name"),
    ("And who am I speaking with?", "customer_name"),
    ("And your order number?", "order_number"),
    ("Do you have any allergies?", "must_not"),
    ("Is there anything you are allergic to?", "must_not"),
    ("Could you confirm your address?", "address"),
    ("Wie lautet Ihre Bestellnummer?", "order_number"),
    ("Können Sie mir bitte Ihre Telefonnummer nennen?", "phone"),
    ("Bitte nennen Sie mir Ihren Namen.", "customer_name"),
    ("Wie heißen Sie?", "customer_name"),
    ("¿Cuál es su número de pedido?", "order_number"),
    ("¿Podría indicarme su dirección de entrega?", "address"),
    ("Necesito su correo electrónico.", "email"),
    ("Quel est votre numéro de commande ?", "order_number"),
    ("Pourriez-vous me rappeler votre nom ?", "customer_name"),
    ("Merci de me communiquer votre adresse e-mail.", "email"),
    ("注文番号を教えていただけますか？", "order_number"),
    ("お名前は何ですか。", "customer_name"),
    ("ما هو رقم الطلب؟", "order_number"),
    ("يرجى إرسال رقم هاتفك.", "phone"),
    ("ما اسمك؟", "customer_name"),
]
FALSE = [
    "Your order number is LH20481137.",
    "Is your order number LH20481137?",
    "Could you confirm that your order number is LH20481137?",
    "Could you confirm your address: 12 Mill Lane, Leeds?",
    "What is your new address?",
    "Please give me the other order number too.",
    "You can find your order number in our e-mail.",
    "I sent it to your e-mail address. What else can I do?",
    "What can I do for you, Ada?",
    "Please keep your order number at hand.",
    "Ihre Bestellnummer ist LH20481137. Was kann ich noch tun?",
    "Wie lautet die neue Adresse, bitte Ihre Adresse ganz?",
    "Su número de pedido es LH20481137.",
    "¿Algo más?",
    "Votre numéro de commande est LH20481137.",
    "注文番号はLH20481137です。",
    "新しい注文番号を教えてください。",
    "رقم الطلب هو LH20481137.",
    "",
]


@pytest.mark.parametrize(("reply", "kind"), TRUE)
def test_a_question_for_what_is_known_is_noticed(reply: str, kind: str) -> None:
    assert asked_again(reply, KNOWN) == [kind]


@pytest.mark.parametrize(("reply", "kind"), TRUE)
def test_a_question_for_what_is_not_known_is_a_good_one(reply: str, kind: str) -> None:
    known = {each: facts for each, facts in KNOWN.items() if each != kind}
    assert asked_again(reply, known) == []


@pytest.mark.parametrize("reply", FALSE)
def test_what_shows_the_value_or_asks_for_another_is_not_counted(reply: str) -> None:
    assert asked_again(reply, KNOWN) == []


def test_two_kinds_are_two_questions() -> None:
    reply = "Please tell me your name and your order number. What is your order number?"
    assert asked_again(reply, KNOWN) == ["customer_name", "order_number"]


def test_a_kind_of_a_fork_is_known_by_the_words_in_its_catalogue() -> None:
    kind = Kind(key="plan", says="the tariff", called="your plan")
    known = {"plan": [fact("plan", "Gold")]}
    assert asked_again("Which is your plan?", known, {"plan": kind}) == ["plan"]
    assert asked_again("Which is your plan?", known, {}) == []
