"""The gate of recall: whether a message refers back to what left the window. Cheap, and by rule."""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from state.corrections import folded_words, typed
from state.wording import folded, found_names, holds, stem, values

When = Literal["auto", "always", "never"]

_READ = 300
"""Characters at either end of a message that are read: a pasted file refers to nothing."""

_BACK: dict[str, str] = {
    "English": r"""
\b(?:remember|recall|remind|again)\b
\b(?:earlier|previously|before|back then|last (?:time|week|month|year))\b
\b(?:ago|yesterday|the other day|at the (?:start|beginning)|originally|used to|so far|until now)\b
\b(?:you|i|we) (?:said|told|mentioned|promised|agreed|talked|discussed|decided|asked|wrote|called)\b
\b(?:did|had|have) (?:i|you|we)\b
\bthe (?:\w+ )?(?:one|thing|place|book|name) (?:you|i|we|that)\b
\b(?:first|last|previous) (?:\w+ )?(?:message|evening|day|conversation|chat|session|order|time)\b
\b(?:message|turn) (?:no\.? |number |#)?\d+\b
\bforgot(?:ten)?\b
\bhaven't we\b
\bsame (?:\w+ ){0,3}(?:as|ones?|place|way|address)\b
\b(?:the|my|our) usual\b
\bas (?:usual|always|agreed|discussed|promised)\b
\bof the (?:two|three|four|others)\b
\b(?:the|that|those) (?:\w+ ){1,4}(?:you|i|we) (?:\w+ed|made|sent|gave|got|took|chose|found)\b
\bthe way (?:you|i|we) did\b
\b(?:second|third|fourth) time\b
\bthe (?:end|rest) of (?:the|that|your|our)\b
\bwhere (?:we|i|you) (?:left|stopped)\b
\bchanged my mind\b
\b(?:what|who|whom|whose)\b
\b(?:when|where|which|why|how (?:many|much|long|often|old|far|did|do|does|was|is))\b
\b(?:do|does|did|is|are|was|were|has|have|had|can|could|would|will|should) [^.!?]{1,200}\?
""",
    "German": r"""
\b(?:erinner\w*|nochmal|noch einmal|wieder|fruher)\b
\b(?:vorhin|damals|zuletzt|neulich|bereits)\b
\bschon (?:mal|einmal|gesagt|erwahnt|erzahlt)\b
\b(?:gestern|vorgestern|letzte[nrsm]?)\b
\b(?:am anfang|ursprunglich|vor (?:\w+ )?(?:tag|woche|monat|jahr)\w*)\b
\b(?:hast|habt|haben|hatte\w*|hab'?e?) (?:du|ihr|sie|ich|wir)\b
\bvergessen\b
\b(?:wessen|wann)\b
\b(?:was|wer|wen|wem)\b(?=[^.!]*\?)
\bwie (?:immer|ublich|gewohnt|besprochen|vereinbart|abgemacht)\b
\b(?:derselbe\w*|dieselbe\w*|dasselbe|denselben|demselben|gleiche[nrsm]?)\b
\bvon den (?:beiden|zweien|dreien)\b
\b(?:den|die|das|dem) (?:du|ihr|sie|ich|wir) (?:\w+ ){0,5}(?:hast|habt|haben|hatte\w*)\b
\bgeschichte mit\b
\b(?:wo|woher|wohin|welche\w*|warum|wie (?:viel\w*|lange?|oft|alt|heisst?|hiess?|war))\b
\b(?:der|die|das|den|dem),? (?:den|die|das|der|dem) (?:du|ich|wir|sie)\b
\bnachricht (?:nr\.? )?\d+
""",
    "Spanish": r"""
\b(?:recuerd\w*|acuerd\w*|otra vez|de nuevo|antes|anterior\w*|ayer|la ultima vez|al principio)\b
\b(?:hace (?:un|una|dos|tres|unos|unas|\d+)|pasad[oa]|dij(?:e|iste|imos|o))\b
\b(?:mencion\w+|promet\w+|olvid\w+)\b
\b(?:(?:de|como) siempre|mism[oa]s?|de l[oa]s dos|donde lo deja\w+)\b
(?:^|[\s¿])(?:que|quien\w*|cuando|donde|cual\w*|por que|cuant[oa]s?|como se)\b(?=[^.!]*\?)
""",
    "French": r"""
\b(?:rappel\w*|souvi\w+|souven\w+|encore une fois|de nouveau|avant|auparavant|precedent\w*|hier)\b
\b(?:la derniere fois|au debut|il y a|dernier|derniere)\b
\b(?:tu as dit|vous avez dit|j'ai dit|on avait|oublie\w*)\b
\b(?:d'habitude|comme (?:toujours|convenu|prevu)|l[ea]s? memes?|des deux|ou on s'etait)\b
\b(?:qu'est-ce|que|quoi|qui|quand|ou|quel\w*|pourquoi|combien|comment)\b(?=[^.!]*\?)
""",
    "Italian": r"""
\b(?:ricord\w*|di nuovo|ancora una volta|prima|precedente)\b
\b(?:ieri|scors[oa]|l'ultima volta|all'inizio)\b
\b(?:che cosa|cosa|chi|quando)\b(?=[^.!]*\?)
\b(?:dove|quale|quali|perche|quant[oaei])\b(?=[^.!]*\?)
\b(?:ho|hai|abbiamo) detto\b
\b(?:(?:di|come) sempre|solit[oaie]|stess[oaie]|de[il](?:le)? due)\b
""",
    "Portuguese": r"""
\b(?:lembr\w*|de novo|outra vez|antes|anterior\w*)\b
\b(?:ontem|passad[oa]|da ultima vez|no comeco|no inicio)\b
\b(?:que|quem|quando|onde)\b(?=[^.!]*\?)
\b(?:qual|quais|por que|quant[oa]s?)\b(?=[^.!]*\?)
\b(?:eu|voce|nos) (?:disse\w*|falou)\b
\b(?:(?:de|como) sempre|mesm[oa]s?|d[oa]s (?:dois|duas)|onde paramos)\b
""",
    "Dutch": r"""
\b(?:herinner\w*|opnieuw|weer|eerder|vroeger)\b
\b(?:gisteren|vorige|toen|laatste keer|in het begin|geleden)\b
\b(?:wat|wie|wanneer|waar)\b
\b(?:welke?|waarom|hoeveel|hoe (?:heet|oud|lang))\b
\b(?:heb|had|hebben) (?:je|ik|we)\b
\b(?:hetzelfde|dezelfde|zoals (?:altijd|gewoonlijk|afgesproken))\b
""",
    "Russian": r"""
\b(?:помн\w*|напомн\w*|снова|опять|раньше|прошл\w+|вчера|тогда|в начале|назад|забыл\w*)\b
\b(?:что|кто|кого|когда|где)\b(?=[^.!]*\?)
\b(?:какой|какая|какие|как|почему|сколько)\b(?=[^.!]*\?)
\b(?:я|ты|вы|мы) (?:говорил\w*|сказал\w*|обещал\w*)
\b(?:(?:тот|та|то|те|ту|той|том|того) же|как (?:всегда|обычно)|остановил\w*)\b
""",
    "Polish": r"""
\b(?:pamieta\w*|przypomn\w*|znowu|wczesniej|poprzedni\w*|wczoraj|ostatnio|na poczatku|temu)\b
\b(?:ten sam|ta sama|te same|tym samym|t[ea] sama|jak zwykle|co zwykle)\b
\b(?:co|kto|kiedy|gdzie|ktor\w+|dlaczego|ile|jak)\b(?=[^.!]*\?)
""",
    "Turkish": r"""
\b(?:hatırl\w*|tekrar|yine|once|onceki|dun|gecen|gecmis\w*|basta|demistin|soylemistim)\b
\b(?:her zaman\w*|aynı)\b
\b(?:ne|kim|neydi|ne zaman|nerede|hangi|neden|kac|nasil)\b(?=[^.!]*\?)
""",  # noqa: RUF001
    "Japanese": r"""
覚えて|思い出|もう一度|また|前に|以前|前回|いつもの|同じ|続き|先日|昨日|さっき|先ほど|最初|この間|先週|先月|忘れ
何|誰|いつ|どこ|どの|どれ|どう|なぜ|いくつ|いくら|(?:言って|話して|約束して)
(?:か|の)[?。]?\s*$|\?
""",
    "Chinese": r"""
记得|記得|想起|再说|又|之前|以前|上次|上回|老地方|老地址|老样子|照旧|同一个|昨天|刚才|剛才|最初|一开始|一開始|上周|上個月|忘了|说过|說過|提到
什么|什麼|谁|誰|什么时候|哪|为什么|為什麼|多少|几|幾|怎么|怎麼|吗|嗎|呢|\?
""",
    "Korean": r"""
기억|다시|늘|항상|같은|전에|이전|지난|어제|아까|처음|잊|말했|약속했
뭐|무엇|누구|언제|어디|어느|어떤|왜|몇|얼마|\?
""",
    "Arabic": r"""
تذكر|اتذكر|نفسه|نفسها|كالعادة|المعتاد|مرة اخرى|من قبل|سابقا|امس|الماضي|في البداية|قلت|ذكرت|وعدت|نسيت
(?:^|\s)(?:ما|ماذا|من(?=[^.!]*\?)|متى|اين|اي|لماذا|كم|كيف|هل)\s|\?
""",
    "Hindi": r"""
याद|फिर|उसी|वही|हमेशा|दोबारा|पहले|पिछल|कल|शुरू|भूल|कहा था|बताया था
क्या|कौन|कब|कहाँ|कहां|कौनसा|क्यों|कितन|कैसे|\?
""",
}
"""A regular expression a line, in small letters without accents; a question counts, too."""


_EDGE = r"\b"
_FORMS = [folded_words(form) for each in _BACK.values() for form in each.split("\n")[1:-1]]


def _joined(forms: Iterable[str]) -> re.Pattern[str]:
    """One expression for all: what begins with a word is looked for where a word begins, only."""
    words: list[str] = []
    others: list[str] = []
    for form in forms:
        (words if form.startswith(_EDGE) else others).append(form.removeprefix(_EDGE))
    # Says what \b says before a word, in less than two thirds of the time.
    return re.compile("|".join([rf"(?<!\w)(?=\w)(?:{'|'.join(words)})", *others]))


_LATIN = "\u0250"
"""The first sign behind those of the Latin alphabet."""
_ANY = _joined(_FORMS)
_IN_LATIN = _joined([r"\?", *(form for form in _FORMS if max(form) < _LATIN)])
_IN_ASCII = _joined([r"\?", *(form for form in _FORMS if form.isascii())])


def _form(read: str) -> re.Pattern[str]:
    """What is looked for in `read`: forms in other letters than its own take most of the time.

    Their words are others without their accents: the Turkish for "before" is the English "once".
    """
    if typed(read).isascii():
        return _IN_ASCII
    return _IN_LATIN if max(read, default="") < _LATIN else _ANY


_POLITE = re.compile(
    r"\W*(?:(?:hi|hello|hey|hallo|hola|ok|okay|and|so)\W+){0,2}(?:how are (?:you|things)|"
    r"how do you do|how's it going|what's up|wie geht(?:'?s| es)(?: (?:dir|ihnen))?|"
    r"que tal|como estas|ca va)"
    r"(?: (?:today|doing|heute|hoy))?\W*"
)


class Decision(NamedTuple):
    """Whether to search, and why: for the trace."""

    search: bool
    reason: str
    sought: str = ""
    """The name or number, folded, that alone is reason to search; empty: the words refer back."""


def refers_back(message: str, *, window: Iterable[str], left: bool, when: When) -> Decision:
    """Whether `message` asks for what the texts of `window` and of the memory do not hold.

    `left` says whether anything has left the window: before that there is nothing to search.
    """
    if when == "never":
        return Decision(False, "switched off")
    if not left:
        return Decision(False, "nothing has left the window")
    if when == "always":
        return Decision(True, "always")
    read = message if len(message) <= 2 * _READ else f"{message[:_READ]}\n{message[-_READ:]}"
    words = folded_words(read)
    if _POLITE.fullmatch(words):
        return Decision(False, "a greeting")
    if found := _form(read).search(words):
        return Decision(True, f"refers back: {found[0].strip()[:40]!r}")
    if strange := _unknown(read, window):
        return Decision(True, f"not in the window: {strange[:40]!r}", strange)
    return Decision(False, "refers to nothing earlier")


def _unknown(message: str, window: Iterable[str]) -> str:
    """A name, number or identifier of `message` that no text of `window` holds; empty: none."""
    asked = values(message) | {stem(folded(name)) for name, _ in found_names(message)}
    if not asked:
        return ""
    held = folded("\n".join(window))
    return next((each for each in sorted(asked) if not holds(held, each)), "")
