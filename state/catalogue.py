"""The kinds of fact that this bot keeps. A fork edits this one file; all else follows from it."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Speaker = Literal["user", "assistant"]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of fact."""

    key: str
    says: str
    """What it is, for the extractor and for people."""
    many: bool = False
    """Whether values collect; else the newest one stands."""
    by: Speaker = "user"
    """Whose words state it."""
    exact: bool = False
    """Whether it is an identifier, copied character for character."""
    forbids: bool = False
    """Whether it is what must not be: then "no" before a value states it and denies it not."""
    confirm: bool = False
    """Whether an action must confirm it first."""
    lasts: bool = False
    """Whether it outlives the session."""
    keep: bool = False
    """Whether it stays in every request, whatever the budget."""
    own_life: bool = False
    """Whether it is what the assistant says about itself, which a request shows apart."""
    pattern: str | None = None
    """What it looks like, for the net that catches what a model missed."""
    choices: tuple[str, ...] = ()
    """The closed set of a judged kind's values."""
    called: str = ""
    """What one asks for it by, in the languages spoken, between bars; "?" ends a whole question."""

    @cached_property
    def form(self) -> re.Pattern[str] | None:
        """The pattern, compiled."""
        return re.compile(self.pattern) if self.pattern else None


CATALOGUE: tuple[Kind, ...] = (
    Kind(
        key="customer_name",
        says="the user's own name",
        lasts=True,
        keep=True,
        called=(
            "your name|your full name|Ihr Name|Ihren Namen|dein Name|tu nombre|su nombre|"
            "votre nom|ton nom|お名前|اسمك|who am I speaking with?|wie heißen Sie?|"
            "cómo se llama usted?|comment vous appelez-vous?"
        ),
    ),
    Kind(
        key="order_number",
        says="an order or parcel number",
        many=True,
        exact=True,
        confirm=True,
        pattern=r"(?<![\w-])LH\d{8}(?![\w-])",
        called=(
            "order number|parcel number|tracking number|Bestellnummer|Sendungsnummer|"
            "número de pedido|numéro de commande|注文番号|رقم الطلب|رقم طلبك"
        ),
    ),
    Kind(
        key="case_number",
        says="a return or ticket number that the assistant issued",
        many=True,
        by="assistant",
        exact=True,
        pattern=r"(?<![\w-])(?:RMA|TK)-\d{4,10}(?![\w-])",
        called=(
            "ticket number|case number|return number|Ticketnummer|número de caso|"
            "numéro de dossier|受付番号"
        ),
    ),
    Kind(
        key="address",
        says="the user's postal address",
        confirm=True,
        lasts=True,
        called=(
            "your address|postal address|delivery address|Ihre Adresse|Ihre Anschrift|"
            "dirección postal|dirección de entrega|adresse postale|adresse de livraison|ご住所|"
            "عنوانك"
        ),
    ),
    Kind(
        key="email",
        says="an e-mail address of the user",
        many=True,
        exact=True,
        lasts=True,
        pattern=r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+",
        called=(
            "e-mail address|email address|your e-mail|your email|E-Mail-Adresse|"
            "correo electrónico|adresse e-mail|メールアドレス|بريدك الإلكتروني"
        ),
    ),
    Kind(
        key="phone",
        says="a phone number of the user",
        many=True,
        exact=True,
        lasts=True,
        pattern=r"(?<![\w+])(?:\+|00)\d[\d ()/-]{6,18}\d(?!\w)",
        called=(
            "phone number|telephone number|Telefonnummer|Handynummer|número de teléfono|"
            "numéro de téléphone|電話番号|رقم هاتفك"
        ),
    ),
    Kind(key="issue", says="what is wrong with an order or a parcel", many=True),
    Kind(key="deadline", says="a date by which the user needs something", many=True),
    Kind(
        key="budget",
        says="the most the user will spend",
        called=(
            "your budget|Ihr Budget|dein Budget|su presupuesto|tu presupuesto|votre budget|ご予算|"
            "ميزانيتك"
        ),
    ),
    Kind(
        key="must_not",
        says="an allergy, or something that must never be done or given",
        many=True,
        forbids=True,
        lasts=True,
        keep=True,
        called="allergies|any allergy|allergic to?|Allergien|alergias|アレルギー|حساسية",
    ),
    Kind(
        key="preference",
        says='what the user likes or prefers, as in "I prefer"',
        many=True,
        lasts=True,
        keep=True,
    ),
    Kind(
        key="instruction",
        says='how the assistant is to behave, as in "from now on"',
        many=True,
        lasts=True,
        keep=True,
    ),
    Kind(
        key="promise",
        says='what the assistant will do, as in "I will", with its date',
        many=True,
        by="assistant",
        keep=True,
    ),
    Kind(
        key="refund",
        says="a refund that the assistant agreed to",
        many=True,
        by="assistant",
        confirm=True,
    ),
    Kind(
        key="mood",
        says="how the user feels about this, only where their words show it",
        choices=("neutral", "frustrated", "urgent"),
    ),
    Kind(
        key="self",
        says="what the assistant said about itself or its own life",
        many=True,
        by="assistant",
        own_life=True,
        lasts=True,
    ),
    Kind(key="note", says="anything else worth remembering about the user", many=True),
)


def check_catalogue(kinds: tuple[Kind, ...]) -> dict[str, Kind]:
    """The kinds by key. Raises ValueError, naming the kind, when two share a key or one is odd."""
    by_key: dict[str, Kind] = {}
    for kind in kinds:
        if kind.key in by_key:
            raise ValueError(f"kind {kind.key!r} is listed twice")
        if fault := _fault(kind):
            raise ValueError(f"kind {kind.key!r}: {fault}")
        by_key[kind.key] = kind
    return by_key


def _fault(kind: Kind) -> str:
    """What is wrong with `kind`; empty when nothing is."""
    if not re.fullmatch(r"[a-z][a-z_]{0,39}", kind.key):
        return "a key is a word of small letters and underscores"
    if not kind.says.strip():
        return "it does not say what it is"
    if kind.choices and (kind.many or kind.exact or kind.pattern):
        return "a judged kind has one value, and no pattern"
    if kind.own_life and kind.by != "assistant":
        return "only the assistant's words tell its own life"
    try:
        form = kind.form
    except re.error as error:
        return f"pattern {kind.pattern!r}: {error}"
    return f"pattern {kind.pattern!r} matches no words" if form and form.search("") else ""


KINDS = check_catalogue(CATALOGUE)
