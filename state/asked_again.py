"""The bot asking for what it was told: a rule on the words of its reply."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from state.catalogue import KINDS, Kind
from state.corrections import folded_words
from state.facts import Fact

_READ = 8000
"""Characters of a reply that are read, its last: there it asks."""

_BEFORE: dict[str, str] = {
    "English": r"""
what(?:'s| is| was| are)|which is|(?:may|could|can) i (?:please )?(?:have|get|ask|know)|do you have
(?:can|could|would|will) you (?:(?:please|kindly|also) )*(?:give|tell|share|provide|confirm|repeat)
(?:can|could|would|will) you (?:(?:please|kindly|also) )*(?:state|enter|send me|remind me|let me)
please (?:also )?(?:give|tell|share|provide|confirm|repeat|state|enter|send me|reply with|let me)
i(?:'ll|'d)? (?:(?:will|would|also|still) )*need|(?:tell|give|remind|send) me
""",
    "German": r"""
wie (?:lautet|ist|war)|was ist|welche|(?:nenne|gib|sag|schick) mir|haben sie
(?:nennen|geben|sagen|schicken|teilen) sie|bestätigen sie|(?:ich|wir) (?:brauche|benötige)n?
(?:können|könnten|würden|kannst|könntest) (?:sie|du)(?: bitte)? (?:mir|uns|noch|bitte)|darf ich
""",
    "Spanish": r"""
cuál (?:es|era)|me (?:puede|podría|puedes|podrías|da|das|dice|dices|indica|facilita|proporciona)
(?:puede|podría)s? (?:dar|decir|indicar|facilitar|proporcionar|enviar|confirmar|repetir)(?:me|nos)?
necesito|indíqueme|dígame|dime|deme|dame|facilíteme|indique|proporcione
""",
    "French": r"""
quel(?:le)?s? (?:est|était|sont)|(?:j'ai|nous avons) besoin|il me (?:faut|faudrait)
(?:pouvez|pourriez|voulez)-vous (?:me |nous )?(?:re)?(?:donner|indiquer|communiquer|fournir|dire)
(?:pouvez|pourriez|voulez)-vous (?:me |nous )?(?:rappeler|confirmer|préciser|envoyer)
(?:peux|pourrais)-tu (?:me )?(?:re)?(?:donner|indiquer|rappeler|confirmer|dire)
(?:re)?(?:donne|dis|dite|indique)[zs]?-moi|puis-je (?:avoir|connaître)|avez-vous
merci de (?:me |nous )?(?:donner|indiquer|communiquer|fournir|rappeler|confirmer)
""",
    "Arabic": r"""
ما|ما هو|ما هي|يرجى|الرجاء|من فضلك|نرجو|(?:أحتاج|نحتاج)(?: إلى)?|أعطني|أخبرني|زودني
هل (?:يمكنك|يمكنكم|تستطيع|لي|لديك)
""",
}
"""What a request begins with, a regular expression a line; the thing asked for follows."""
_AFTER = (
    r"[^。、]{0,4}(?:を|も|は)(?:もう一度|再度|改めて)?(?:何|なん|いくつ|どちら|どこ|教え|お教え|お知らせ|"
    r"お聞かせ|お伺い|伺|いただけ|頂け|お送り|入力|ご入力|お願い|ありますか|\?)"
)
"""What follows the thing asked for in Japanese."""
_OTHER = re.compile(
    r"\b(?:new|other|another|different|else|neue\w?|andere\w?|weitere\w?|nuev[oa]|otr[oa]|"
    r"nouve(?:l|lle|au)|autre)\b|新しい|他の|別の|جديد|اخر"
)
_SENTENCE = re.compile(r"[^.!?。？؟\n]+[.!?。？؟]?")  # noqa: RUF001
_REQUEST = "|".join(
    folded_words(line) for each in _BEFORE.values() for line in each.split("\n")[1:-1]
)


def asked_again(
    reply: str, known: Mapping[str, Sequence[Fact]], kinds: Mapping[str, Kind] = KINDS
) -> list[str]:
    """The kinds of fact that `reply` asks for although `known` holds them, in order.

    A sentence that shows the value, or asks for another one, does not ask for what is known.
    """
    sentences = [(s.strip(), folded_words(s).strip()) for s in _SENTENCE.findall(reply[-_READ:])]
    return [
        key
        for key, facts in known.items()
        if facts and (kind := kinds.get(key)) and kind.called and _asks(kind, facts, sentences)
    ]


def _asks(kind: Kind, facts: Sequence[Fact], sentences: Sequence[tuple[str, str]]) -> bool:
    values = [_signs(fact["value"]) for fact in facts]
    return any(
        not any(value and value in _signs(said) for value in values)
        for said in _requests(kind, sentences)
    )


def _requests(kind: Kind, sentences: Sequence[tuple[str, str]]) -> Iterator[str]:
    form = _form(kind)
    return (said for said, folded in sentences if form.search(folded) and not _OTHER.search(folded))


@cache
def _form(kind: Kind) -> re.Pattern[str]:
    names = [folded_words(name) for name in kind.called.split("|")]
    thing = "|".join(re.escape(name) for name in names if not name.endswith("?")) or "(?!)"
    forms = [
        rf"\b(?:{_REQUEST})\b.{{0,60}}?\b(?:{thing})\b",
        rf"(?:{thing}){_AFTER}",
        rf"^\W*(?:(?:and|und|y|et) )?(?:\w+ )?(?:{thing})\W*\?$",
        *(rf"\b{re.escape(name[:-1])}\b.{{0,40}}\?$" for name in names if name.endswith("?")),
    ]
    return re.compile("|".join(forms))


def _signs(text: str) -> str:
    return "".join(c for c in folded_words(text) if c.isalnum())
