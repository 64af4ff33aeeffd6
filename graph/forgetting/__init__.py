"""Forgetting a fact, a thread or a user: in every store, checked afterwards, safe to repeat."""

from graph.forgetting.fact import forget_fact
from graph.forgetting.means import FactUnknownError, ForgettingRefusedError, Means
from graph.forgetting.receipt import Receipt
from graph.forgetting.thread import forget_thread
from graph.forgetting.unfinished import finish_forgetting
from graph.forgetting.user import forget_user

__all__ = [
    "FactUnknownError",
    "ForgettingRefusedError",
    "Means",
    "Receipt",
    "finish_forgetting",
    "forget_fact",
    "forget_thread",
    "forget_user",
]
