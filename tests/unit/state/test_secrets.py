"""Card numbers and passwords are recognised, in several languages; other words are not."""

import pytest

from state.secrets import HIDDEN, holds_secret, secrets, without_secrets


@pytest.mark.parametrize(
    ("words", "secret"),
    [
        ("my card is 4111 1111 1111 1111.", "4111 1111 1111 1111"),
        ("4111-1111-1111-1111", "4111-1111-1111-1111"),
        ("5500005555555559", "5500005555555559"),
        ("AMEX 378282246310005", "378282246310005"),
        ("４１１１１１１１１１１１１１１１", "４１１１１１１１１１１１１１１１"),
        ("my password is hunter2, thanks", "hunter2"),
        ("The password for my account is: swordfish", "swordfish"),
        ("Password: s3cr3t!", "s3cr3t"),
        ("PIN 4821", "4821"),
        ("Mein Passwort lautet Sommer2024", "Sommer2024"),
        ("mi contraseña es perro123", "perro123"),
        ("mon mot de passe est soleil", "soleil"),
        ("a minha senha é gato99", "gato99"),
        ("パスワードはhunter2です", "hunter2"),
        ("密码是abc123", "abc123"),
        ("كلمة المرور هي سر123", "سر123"),
        ("мой пароль: котик", "котик"),
    ],
)
def test_a_secret_is_found_and_hidden(words: str, secret: str) -> None:
    assert secrets(words) == [secret]
    assert holds_secret(secret, words)
    assert holds_secret(f"it is {secret}", words)
    assert secret not in without_secrets(words, words)
    assert HIDDEN in without_secrets(words, words)


@pytest.mark.parametrize(
    "words",
    [
        "my password is wrong",
        "I forgot my password and my name is Tom",
        "4111 1111 1111 1112",
        "order LH20481137, call +44 7700 900123",
        "the shipping is late",
        "la clave es que llegue hoy",
        "9999999999999999",
    ],
)
def test_other_words_are_no_secret(words: str) -> None:
    assert secrets(words) == []
    assert without_secrets(words, words) == words


def test_a_piece_of_a_number_is_a_secret_and_a_common_word_is_not() -> None:
    words = "I'm Tom; card 4111 1111 1111 1111, my password is tom"
    assert holds_secret("1111 1111", words)
    assert holds_secret("my card 4111111111111111", "")
    assert not holds_secret("tomorrow", words)
    assert not holds_secret("customer", words)
