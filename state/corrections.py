"""The user telling the bot that it was told before, or got it wrong: by the commonest phrases."""

import re
import unicodedata

_READ = 4000
"""Characters of a message that are read: a complaint does not stand behind a pasted file."""

_PHRASES: dict[str, str] = {
    "English": r"""
(?<!have )(?<!did )(?<!if )\bi(?:'ve| have|'d| had)? (?:already |just )*told you\b(?! (?:a|lies) )
(?<!have )\bi(?:'ve| have|'d| had)? (?:already|just) (?:gave|given|sent|shown|showed) you\b
(?<!have )\bi(?:'ve| have|'d| had)? already (?:said|mentioned|explained|answered)\b(?! to (?!you))
\b(?:as|like) i(?:'ve)? (?:already )?(?:said|mentioned|wrote) (?:before|earlier|already|above)\b
\b(?:as|like) i(?:'ve)? (?:already )?(?:said|mentioned|wrote),
\bas (?:already )?(?:mentioned|stated),
\byou(?:'ve| have)? (?:already|just) asked\b
\byou(?:'ve| have)? asked (?:me )?(?:that|this|for (?:that|it)) (?:already|before|twice)\b
\b(?:you keep|stop) asking\b|\byou keep (?:calling|forgetting|suggesting|saying|getting)\b
\bhow (?:many times|often) (?:do|must|should) i (?:have to |need to )?(?:tell|say|repeat|give)
\bthat(?:'s| is| was) not what i (?:said|asked|meant|told)\b
\bthat(?:'s| is| was) not my (?:\w+ )?(?:name|address|number|e-?mail|order|phone)\b
\bi (?:never|didn't|did not) (?:say|said) (?:that|this|so)\b|\bi never (?:said|told you|asked for)\b
\b(?:didn't|haven't) i (?:just |already )?(?:tell|told|say|said|mention|give|given)
\bi did (?:say|tell|mention)\b
\bi (?:said|wrote|asked for) [^.!?]{1,60}, not\b(?! (?:that|because|even|sure)\b)
\bmy (?:\w+ )?(?:name|address|number|e-?mail) is (?:\w+ )?[^.!?]{1,40}, not\b
\byou(?:'ve| have)? (?:forgot|forgotten) (?:again|already|what i|that i|my)\b
\b(?:did|have) you (?:already )?(?:forget|forgotten)\b|\bdon't you remember\b
\byou got (?:it|that|this|my(?: \w+){1,2}|the(?: \w+){1,2}) wrong\b
(?<!if )\b(?:that|this)(?:'s| is) (?:wrong|incorrect|not (?:right|correct|true))\b(?! of )
\bwrong[^a-z]{1,3}i (?:said|asked|wanted)\b
\byou(?:'ve| have)? (?:got|used|wrote) (?:the|my) wrong\b
\bconfus\w+ me with\b|\bwe(?:'ve| have)? (?:already )?been (?:over|through) (?:this|that|it)\b
\bwe(?:'ve| have)? (?:already )?(?:talked about|discussed|went over|gone over) (?:this|that|it)\b
\byou (?:already|should) have my (?:name|address|number|e-?mail|details)\b
\byou (?:already )?know (?:that )?i(?:'m| am| have| can't| don't)\b
\b(?:second|third|fourth|fifth|tenth|hundredth) time (?:that )?(?:you|i'?(?:ve)?) (?:ask|t[eo]l|sa)
\bfor the (?:second|third|fourth|fifth|tenth|hundredth|umpteenth|last|nth) time,
\b(?:you(?:'re| are) not|you aren't|are you even|weren't you|aren't you) (?:listening|reading)\b
\b(?:just )?scroll up\b
""",
    "German": r"""
\b(?:das|es) hab'?e? ich (?:(?:dir|ihnen|doch|schon|bereits|gerade|vorhin) )+(?:gesagt|genannt)
\b(?:das|es) hab'?e? ich (?:(?:dir|ihnen|doch|schon|bereits|vorhin) )+(?:geschrieben|mitgeteilt)
\b(?:das|es) hab'?e? ich (?:(?:dir|ihnen|doch|schon|bereits|vorhin) )+(?:erwähnt|erklärt|angegeben)
\b(?:ich hab'?e?|hab'?e? ich) (?:dir|ihnen)[\w ]{1,40}(?:doch|schon|bereits)[\w ]{1,60}gesagt\b
\b(?:ich hab'?e?|hab'?e? ich) (?:dir|ihnen)[\w ]{1,40}(?:doch|schon|bereits)[\w ]{1,60}genannt\b
\b(?:ich hab'?e?|hab'?e? ich) (?:dir|ihnen)[\w ]{1,40}(?:doch|schon|bereits)[\w ]{1,60}mitgeteilt
\bich hab'?e? (?:(?:meine?n?|die|den|das) \w+ )?(?:schon|bereits) (?:genannt|angegeben|erwähnt)
\bwie (?:schon|bereits|oben|vorhin) (?:gesagt|erwähnt|geschrieben)
\bwie oft (?:muss|soll) ich\b|\bwie gesagt,(?! getan)
\bsteht (?:doch )?(?:alles )?(?:weiter )?oben\b|\bdas hatten wir (?:doch )?schon\b
\bdarüber (?:haben|hatten) wir (?:\w+ )?schon (?:gesprochen|geredet)
\bich (?:heiße|sagte|schrieb) [^.!?]{1,40}, nicht\b(?! (?:wahr|dass|weil)\b)
\bmein name ist [^.!?]{1,40}, nicht\b(?! wahr\b)
\b(?:frag|sag|schreib)\w* [^.!?]{0,40}zum (?:zweiten|dritten|vierten|fünften|zehnten|x-ten) mal\b
\bdas hab'?e? ich (?:dir|ihnen) (?:\w+ ){0,3}erst (?:gesagt|geschrieben|genannt)
\bich (?:hatte|hab'?e?) (?:doch|ja) (?:gesagt|geschrieben|erwähnt|angegeben)
\bmeine?n? \w+ (?:haben sie|hast du) (?:doch |ja )?(?:schon|bereits)\b
\b(?:hörst du|hören sie) mir (?:überhaupt|eigentlich)|\bmeine?n? \w+ schon wieder falsch\b
\bfalsch, ich (?:wollte|sagte|hatte)
\b(?:hast du|haben sie) mich (?:doch )?(?:schon|bereits|gerade)(?: \w+){0,2} gefragt
\bdas hab'?e? ich (?:so )?(?:nie|nicht) gesagt
\b(?:hast du|haben sie|du hast|sie haben) (?:\w+ ){0,3}?schon (?:wieder )?vergessen
\bdas (?:stimmt (?:so )?nicht|ist (?:falsch|nicht (?:richtig|korrekt)))
""",
    "Spanish": r"""
\bya (?:te|se|os) l[oa]s? (?:he |había )?(?:dije|dicho|di|dado|mencioné|expliqué|comenté|envié)\b
\bya (?:lo )?(?:he |había )?(?:dije|dicho|mencioné|mencionado|expliqué|explicado|respondí)\b(?! a\b)
\bya (?:te|os|le|les) (?:he |había )?(?:dije|dicho|di|dado|mencioné|expliqué)\b(?! a\b)
\b(?:te|se) lo (?:acabo de decir|dije antes|he dicho antes)\b|\bacabo de decír(?:te|se|os)lo\b
\bcomo (?:ya )?(?:te |le )?(?:dije|he dicho|mencioné|comenté)\b
\bcuántas veces (?:tengo|debo|te|se|le|hay)\b
\bya me (?:lo |la )?(?:preguntaste|has preguntado|ha preguntado|preguntó)\b
\bno es lo que (?:(?:te|le|os|les) )?(?:dije|he dicho|pedí)\b|\b(?:yo )?no dije eso\b
\bme llamo [^.!?]{1,40}, no\b
\bdije \w+(?: \w+){0,2}, no\b(?! (?:sé|se|puedo|quiero|me|te|lo|es|hay)\b)
\bya (?:hablamos|hemos hablado) (?:de|sobre) (?:esto|eso)\b
\b(?:eso|esto) ya lo (?:hemos )?(?:hablado|hablamos|dicho)
\b(?:te|os) dije que (?:soy|tengo|no|me|mi)\b
\bes la (?:segunda|tercera|cuarta|enésima) vez que (?:me |te |se |lo ){0,2}(?:pregunt|dig|dij|repit)
\bya (?:tiene|tienes|tienen) (?:usted(?:es)? )?mi (?:número|nombre|dirección|correo)
\bno me (?:escuchas?|está escuchando|estás escuchando|lees?)\b
\b(?:te olvidaste|te has olvidado|se ha olvidado|has olvidado|ya olvidaste)\b
(?<!si )\beso (?:no es (?:correcto|cierto|verdad)|es incorrecto|está mal)\b
""",
    "French": r"""
\bje (?:te |vous )?l'ai (?:déjà |bien )?(?:dit|donnée?|indiquée?|expliquée?|envoyée?)\b(?! à)
\bje (?:t'|vous )ai (?:déjà|bien) (?:dit|donné|indiqué|expliqué|envoyé|répondu)
\bj'ai déjà (?:dit|donné|indiqué|mentionné|expliqué|répondu|précisé)\b(?! (?:à|au) )
\bcomme je (?:(?:te|vous) )?l'ai (?:déjà )?dit|\bcomme (?:déjà dit|dit plus haut)
\bcombien de fois (?:dois|faut|vais|je)
\b(?:tu me l'as|vous me l'avez|vous l'avez|tu l'as) déjà demandé
\bce n'est pas ce que j'ai (?:dit|demandé)|\bje n'ai (?:jamais|pas) dit (?:ça|cela)
\b(?:tu as|vous avez|t'as) (?:déjà|encore) oublié
(?<!si )\b(?:c'est faux|ce n'est pas (?:exact|correct|vrai|juste|mon (?:nom|adresse|numéro)))\b
\bje m'appelle [^.!?]{1,40}, pas\b
\bj'(?:ai|avais) dit [^.!?]{1,40}, pas\b(?! (?:de|d|encore|si|que|mal)\b)
\bon en (?:a|avait) (?:déjà )?parlé\b(?! (?:à|au|avec) )
\bc'est la (?:deuxième|troisième|quatrième|cinquième|énième) fois que (?:tu|vous|je)\b
\bje viens de (?:te|vous) (?:le |l')(?:dire|écrire|donner)|\b(?:vous vous trompez|tu te trompes)\b
\bje (?:vous |t')avais (?:pourtant |bien |déjà )?dit\b
\b(?:vous avez|tu as) déjà m(?:on|a|es) (?:numéro|nom|adresse|coordonnées|e-?mail)
""",
    "Italian": r"""
\b(?:te l'ho|gliel'ho|l'ho) (?:già|appena) (?:detto|dato|scritto|spiegato)\b(?! a)
\bmi chiamo [^.!?]{1,40}, non\b|\bne (?:abbiamo|avevamo) già parlato\b
\b(?:ho|avevo) detto \w+(?: \w+){0,2}, non\b(?! (?:so|è|ho|posso|mi|ti|si)\b)
(?<!gli )(?<!le )\bavevo detto\b(?! a)
\b(?:ti|le|vi) ho già (?:detto|dato|scritto|spiegato)
\bquante volte (?:devo|te lo|glielo)|\b(?:me l'hai|me l'ha) già chiesto
\bnon è quello che ho detto|\bcome (?:ho )?già detto
""",
    "Portuguese": r"""
\bjá (?:(?:te|lhe|vos) )?(?:disse|falei|informei|expliquei|respondi)\b(?! (?:ao|à|para) )
\bquantas vezes (?:tenho|preciso|vou)|\bjá me perguntou
\bjá pergunt(?:ou|aram) (?:isso|isto)\b|\b(?:meu nome é|me chamo) [^.!?]{1,40}, não\b
\beu (?:disse|falei) \w+(?: \w+){0,2}, não\b(?! (?:sei|é|posso|tem|tenho|me)\b)
\bjá falamos (?:disso|nisso|sobre isso)\b
\bnão foi (?:isso|o) que (?:eu )?disse|\bcomo (?:eu )?já (?:disse|falei)
""",
    "Russian": r"""
\bя (?:(?:уже|это) )*(?:же|вам|тебе) (?:(?:же|уже|вам|тебе|это) )*(?:сказал|говорил|писал)а?\b
\bя (?:(?:уже|это) )*(?:же|вам|тебе) (?:(?:же|уже|вам|тебе|это) )*(?:называл|давал)а?\b
\bменя зовут \w+, а не\b|\bя (?:сказал|говорил|писал)а? [^.!?]{1,40}, а не\b
\bмы (?:уже )?(?:это|об этом) (?:уже )?(?:обсуждали|говорили)
\bвы (?:меня )?уже (?:меня )?(?:об этом )?спрашивали
\bсколько раз (?:можно|мне|я|вам|тебе)\b|\bя этого не говорила?\b
""",  # noqa: RUF001
    "Japanese": r"""
(?:さっき|先ほど|前に|以前|(?<!には)もう|すでに|既に|何[度回]も)も?[^\s。、!?に]{0,10}言(?:った|いました)(?!か)
(?:さっき|先ほど|前に|以前|(?<!には)もう|すでに|既に)も?[^\s。、!?に]{0,10}(?:伝え|教え)(?:ました|た)(?!か)
(?:さっき|先ほど|前に|以前|(?<!には)もう|すでに|既に)も?[^\s。、!?に]{0,10}(?:お伝えし|話し|書き|答え)ました(?!か)
何[度回]も?(?:言えば|言わせる|聞く|同じ)|同じこと(?:を|ばかり)(?:何度も)?(?:聞|言わ)
そんなことは?言ってい?(?:ません|ない)|違い?(?:う|ます)って|名前[がは](?:違|間違)
(?:と|って)言った(?:ん|の|はず)(?:です|だ)|[^。、]{1,20}ではなくて?、?[^。をに]{1,20}です。?\s*$
(?:前に|以前|昨日|先日|さっき)も(?:同じことを?)?(?:聞かれ|話し)(?:ました|た)よ
もう(?:お忘れ|忘れ(?:た|ました|てる))(?:の|んですか|ですか|か)|間違ってい?ます
""",
    "Chinese": r"""
我(?:已经|刚才|刚刚|之前|早就|不是)[^。,!?\s]{0,6}(?:说过|告诉过?你|讲过|提过|给过你|说了)
(?:要我|我要)说(?:多少|几)[次遍]|你(?:又|已经)(?:忘了|问过)|我没有?(?:这么|这样|那么)说
我(?:姓|叫)[^,,。]{1,6}[,,]不(?:是|姓|叫)|我(?:刚才|之前)?说的是[^,,。]{1,12}[,,]不是|这个?你已经问过
(?:这件事|这事|这个)?我们[^,,。]{0,6}已经(?:谈|说|讨论|聊)过|我说了我
""",
    "Arabic": r"""
(?<!هل )\b(?:أخبرتكم?|قلت(?:ها)? ل(?:ك|كم)|ذكرت لك|أعطيتكم?|أرسلت لك)\b
\b(?:قلت|ذكرت|كتبت)[هة]?ا? (?:(?:ذلك|هذا) )?(?:من قبل|سابقا|بالفعل|للتو|قبل قليل)
\bاسمي [^.!?]{1,20} وليس\b|\bقلت [^.!?]{1,20} وليس\b|\bتحدثنا عن (?:هذا|ذلك)\b|\bلقد قلت (?:إن|أن)
\bسبق (?:لي )?(?:و ?|أن )*(?:قلت|أخبرت|ذكرت|أعطيت|أرسلت)
\bكم مرة (?:يجب|علي|سأقول|قلت|أقول)|\bلم أقل (?:ذلك|هذا)|\bهل نسيت\b
\b(?:هذا|ذلك) (?:غير صحيح|ليس صحيحا|ليس ما قلت|خطأ)\b|\bسألتني (?:من قبل|عن هذا)
""",  # noqa: RUF001
}
"""A regular expression a line, in small letters; accents and Arabic vowel signs do not count."""

_SIGNS = str.maketrans({"！": "!", "？": "?", "؟": "?", "ـ": None})  # noqa: RUF001
_TYPESET = str.maketrans({"’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})  # noqa: RUF001
_SPACE = re.compile(r"\s+")
_MARKS = "\u0300"
"""The first sign that stands for the accent of the one before it."""
_SOUNDED = "\u3099\u309a"
"""Marks that make another sound of a Japanese sign, and stay."""


def typed(text: str) -> str:
    """`text` with the quotation marks and dashes of a keyboard."""
    return text if text.isascii() else text.translate(_TYPESET)


def folded_words(text: str) -> str:
    """`text` in small letters, its spaces single, without accents and the vowel signs of Arabic."""
    text = typed(text)
    if text.isascii():
        return _SPACE.sub(" ", text.lower())
    apart = unicodedata.normalize("NFD", text.translate(_SIGNS).casefold())
    kept = (c for c in apart if c < _MARKS or c in _SOUNDED or unicodedata.category(c) != "Mn")
    return _SPACE.sub(" ", unicodedata.normalize("NFC", "".join(kept)))


def _joined(forms: list[str]) -> re.Pattern[str]:
    """One expression for all: what begins with a word is looked for where a word begins, only."""
    words = [form.removeprefix(_EDGE) for form in forms if form.startswith(_EDGE)]
    others = [form for form in forms if not form.startswith(_EDGE)]
    return re.compile("|".join([rf"\b(?:{'|'.join(words)})", *others]))


_EDGE = r"\b"
_FORM = _joined(
    [folded_words(phrase) for each in _PHRASES.values() for phrase in each.split("\n")[1:-1]]
)


def corrects(message: str) -> bool:
    """Whether the user says in `message` that the bot was told this before, or has it wrong.

    By rule, in the languages of _PHRASES. It is a measure, not a judge: some put it otherwise.
    """
    return _FORM.search(folded_words(message[:_READ])) is not None
