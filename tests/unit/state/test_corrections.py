"""Labelled messages: which of them tell the bot that it was told before."""

import time

import pytest

from state.corrections import corrects

TRUE = [
    "I already told you my order number.",
    "I told you yesterday that I'm allergic to nuts!",
    "As I said before, the parcel goes to Leeds.",
    "I've already given you that. LH20481137.",
    "You already asked me that.",
    "why do you keep asking for my name",
    "How many times do I have to repeat this?",
    "No, that's not what I said.",
    "That\u2019s wrong, it is Bristol.",
    "You got my name wrong again.",
    "Have you forgotten? It's Ada.",
    "For the third time, my number is 4471.",
    "I have already mentioned it above",
    "Das habe ich doch schon gesagt.",
    "Ich habe Ihnen meine Bestellnummer bereits genannt!",
    "Das hab ich dir vorhin schon geschrieben",
    "Wie bereits erwähnt, bin ich allergisch.",
    "Wie oft soll ich das noch sagen?",
    "Das haben Sie mich schon gefragt.",
    "Das stimmt nicht, ich wohne in Köln.",
    "Haben Sie das schon wieder vergessen?",
    "Ya te lo dije.",
    "Ya le he dado mi número de pedido",
    "Como ya le dije, soy alérgica.",
    "¿Cuántas veces tengo que repetirlo?",
    "Eso no es lo que dije.",
    "Ya me lo preguntaste antes.",
    "Je vous l'ai déjà dit.",
    "J\u2019ai déjà donné mon numéro de commande.",
    "Combien de fois dois-je le répéter ?",
    "Vous me l'avez déjà demandé.",
    "Ce n'est pas ce que j'ai dit.",
    "Tu as encore oublié mon prénom",
    "Te l'ho già detto.",
    "Eu já te disse o número.",
    "Я же вам уже говорила!",
    "さっき言いましたよね。",
    "注文番号はもうお伝えしました。",
    "前にも言いましたが、アレルギーがあります。",
    "何度言えばわかるんですか。",
    "そんなこと言ってません。",
    "我已经告诉过你了",
    "لقد أخبرتك برقم الطلب من قبل",
    "قلتُ لك إن لديّ حساسية",
    "سبق أن أعطيتكم رقم الطلب",
    "كم مرة يجب أن أكرر ذلك؟",
    "هذا غير صحيح، أنا أسكن في الرياض",
    "لم أقل ذلك",
    "I said 24 guests, not 42.",
    "My name is Ines, not Agnes.",
    "We've been over this.",
    "We talked about this yesterday.",
    "Like I said, nuts are out.",
    "That's the fourth time you ask me.",
    "You keep calling me Mr Lang.",
    "Didn't I just tell you that?",
    "Wrong. I asked for the red one.",
    "Ich sagte Dienstag, nicht Donnerstag.",
    "Du fragst mich das jetzt zum dritten Mal.",
    "Meine Nummer haben Sie doch schon.",
    "Es la tercera vez que me lo preguntas.",
    "Me llamo Inés, no Agnes.",
    "J'ai dit mardi, pas jeudi.",
    "Vous avez déjà mon numéro.",
    "Ho detto martedì, non giovedì.",
    "Eu disse terça, não quinta.",
    "Меня зовут Инна, а не Анна.",
    "Вы меня уже спрашивали об этом.",
    "火曜日と言ったんですが。",
    "我说的是星期二,不是星期四。",
    "اسمي إيناس وليس أنيسة.",
]
FALSE = [
    "My order number is LH20481137.",
    "I already sent the parcel back.",
    "I just told my wife about it.",
    "I already told your colleague's manager, not the courier.",
    "Have I told you about my dog?",
    "Did I already mention it to the neighbour, I wonder?",
    "I haven't told you my number yet.",
    "If that's wrong, please tell me.",
    "Tell me again when it arrives.",
    "I never ordered this.",
    "You asked for my number: LH20481137.",
    "I forgot my password",
    "What did you say?",
    "Ich habe dem Nachbarn schon gesagt, dass ein Paket kommt.",
    "Ich habe das Paket schon geschickt.",
    "Können Sie mir sagen, wo es ist?",
    "Ich habe es vergessen.",
    "Wie gesagt wird, ist alles gut",
    "Ya llegó el paquete.",
    "Ya le dije a mi vecino que lo recoja.",
    "¿Me puede decir dónde está?",
    "Le dije al repartidor que esperara.",
    "J'ai déjà reçu le colis.",
    "J'ai déjà dit à mon voisin de l'ouvrir.",
    "Je vous dis merci.",
    "Pouvez-vous me dire où il est ?",
    "もう届きました。",
    "家族にはもう言いました。",
    "もう家族に言いました。",
    "注文番号を教えます。",
    "前に住んでいた住所です。",
    "وصل الطرد بالفعل",
    "هل أخبرتك عن كلبي؟",
    "سأخبرك برقم الطلب",
    "نسيت كلمة السر",
    "I'd like the blue one, not the red one.",
    "Sorry, I meant Tuesday, not Thursday.",
    "I said yes, not that it matters.",
    "We talked about you at dinner.",
    "They keep asking for my passport.",
    "If I already told you, skip it.",
    "That's wrong of them.",
    "As I said to my wife, it is lovely.",
    "Ich meinte Dienstag, nicht Donnerstag.",
    "Ich sagte ja, nicht wahr?",
    "Le dije a mi hermano que viniera, no sé cuándo.",
    "Avísame si eso no es correcto.",
    "J'ai dit oui, pas de problème.",
    "Dites-moi si ce n'est pas exact.",
    "L'ho già detto a mio fratello.",
    "Gli avevo detto di aspettare.",
    "Quero o azul, não o vermelho.",
    "Я уже сказала об этом брату.",
    "赤ではなく青をください。",
    "我要蓝色的,不要红色的。",
    "أريد الأزرق وليس الأحمر.",
    "",
]


@pytest.mark.parametrize("message", TRUE)
def test_a_user_who_was_not_heard_is_noticed(message: str) -> None:
    assert corrects(message)


@pytest.mark.parametrize("message", FALSE)
def test_what_only_sounds_like_it_is_not_counted(message: str) -> None:
    assert not corrects(message)


def test_case_and_spaces_do_not_matter() -> None:
    assert corrects("i  ALREADY\ntold you")


def test_a_pasted_file_costs_no_more_than_its_beginning() -> None:
    begun = time.process_time()
    long = corrects("ich habe ihnen " * 100_000)
    of_it = time.process_time() - begun

    begun = time.process_time()
    short = corrects(("ich habe ihnen " * 100_000)[:4000])
    assert (long, short) == (False, False)
    assert of_it < 10 * (time.process_time() - begun) + 0.5
