"""The gate of recall, by what it lets through and what it keeps."""

import pytest

from state.refers_back import Decision, refers_back

WINDOW = ["We spoke of Bramble and order LH20481137.", "Yes."]


def gate(message: str) -> Decision:
    return refers_back(message, window=WINDOW, left=True, when="auto")


@pytest.mark.parametrize(
    "message",
    [
        "What was the ship called?",
        "Do you remember the name of my dog?",
        "The one you recommended, I want it",
        "It broke again.",
        "As I said, the blue one",
        "Is the Halvorsen invoice paid?",
        "Use the address of last time",
        "Let us go back to turn 140",
        "How did the first evening end?",
        "Tell Oswin I said hello",
        "Put it on 4471",
        "The usual, please.",
        "Cancel the appointment you made for me",
        "Storniere den Termin, den du gemacht hast",
        "Envíalo a la dirección de siempre",
        "Отправьте на тот же адрес",
        "いつもの住所に送って",
        "Weißt du noch, wie der Hund hieß?",
        "Wann hatte ich bestellt",
        "¿Cómo se llamaba el barco?",
        "¿Qué te dije de mi alergia?",
        "Tu te souviens de mon chien",
        "Quel était le nom du bateau ?",
        "Ti ricordi di mia sorella",
        "Você lembra do meu pedido",
        "Herinner je je mijn bestelling",
        "Как звали мою собаку?",
        "Pamiętasz mojego psa",
        "Köpeğimin adını hatırlıyor musun",
        "Daha önce konuştuk",
        "犬の名前を覚えていますか",
        "船の名前は何でしたか",
        "你还记得我的狗吗",
        "那艘船叫什么名字",
        "우리 강아지 이름이 뭐였지",
        "هل تذكر اسم كلبي",
        "मेरे कुत्ते का नाम याद है",
    ],
)
def test_a_message_that_refers_back_is_searched_for(message: str) -> None:
    decision = gate(message)
    assert decision.search, decision
    assert decision.reason.startswith(("refers back: ", "not in the window: "))


@pytest.mark.parametrize(
    "message",
    [
        "I walk there once a day.",
        "It’s fine – once a day.",
        "I am so tired today, work was awful.",
        "نعم، غطاء جديد من فضلك",
        "Thanks a lot!",
        "Yes, please.",
        "Hi, how are you?",
        "Wie geht's?",
        "My new number follows soon.",
        "I love the sea.",
        "Please cancel LH20481137 for Bramble",
        "Danke schön!",
        "Vielen Dank und gute Nacht",
        "Gracias, muy amable.",
        "Merci beaucoup.",
        "ありがとうございます。",
        "谢谢",
        "شكرا جزيلا",
        "",
        "😀",
    ],
)
def test_a_message_that_does_not_is_not(message: str) -> None:
    assert not gate(message).search, gate(message)


def test_a_name_or_a_number_that_the_window_does_not_hold_is_told() -> None:
    assert gate("Tell Oswin I said hello").reason != gate("Tell Bramble hello").reason
    assert gate("Put it on 4471").reason == "not in the window: '4471'"
    assert gate("Ask Bramble's Halvorsen").reason == "not in the window: 'halvo'"


def test_nothing_is_searched_while_nothing_left_the_window() -> None:
    for when in ("auto", "always"):
        decision = refers_back("What was it?", window=[], left=False, when=when)
        assert decision == Decision(False, "nothing has left the window")


def test_the_setting_decides_for_all() -> None:
    always = refers_back("Thanks!", window=WINDOW, left=True, when="always")
    never = refers_back("What was it?", window=WINDOW, left=True, when="never")
    assert (always, never) == (Decision(True, "always"), Decision(False, "switched off"))


def test_what_a_pasted_file_says_in_its_middle_refers_to_nothing() -> None:
    assert not gate("Here. " + "x " * 1500 + "Do you remember?" + " x" * 1500).search
