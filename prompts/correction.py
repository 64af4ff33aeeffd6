"""What a model is sent that judges whether the user corrects the bot."""

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from prompts.files import prompt
from prompts.markup import cut_middle, escaped
from state.said import Said

_TOKENS = 500


def correction_request(said: Said) -> list[BaseMessage]:
    """The request about the user's words in `said`, with the assistant's words before them."""
    before, words = (escaped(cut_middle(text, _TOKENS)) for text in (said.before, said.user))
    turn = f"<assistant>{before}</assistant>\n<user>{words}</user>"
    return [SystemMessage(prompt("corrected.md")), HumanMessage(turn)]
