"""Who takes part, by name: nothing here imports a contestant, which is heavy and may be missing."""

TITLES = {
    "all": "all messages",
    "trimmed": "last messages, trimmed",
    "langchain": "LangChain summary, defaults",
    "langchain-tuned": "LangChain summary, our marks",
    "langmem": "LangMem summary",
    "longhaul": "longhaul",
}
"""The contestants, in the order of the table."""

EVERYTHING = "all"
TUNED = "langchain-tuned"
LANGMEM = "langmem"
OURS = "longhaul"
