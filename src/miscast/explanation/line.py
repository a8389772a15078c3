r"""A line of a log without what loggers, launchers and terminals put around it.

    >>> cleaned("\x1b[31m2024-01-02 03:04:05,678 [rank3]: RuntimeError: …\x1b[0m")
    Line(rank='3', text='RuntimeError: …')

Each prefix is matched at the front, with bounds, at most eight of them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..core.frozen import dataclass
from ..core.regex import regex

LONGEST = 4000
_SHORT = 400
"""Bytes. Lines up to this length are kept once they are read."""
_ANSI = regex(
    r"\x1b(?:\[[0-9;:?]{0,40}[A-Za-z]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>])|\[(?:[0-9]{1,2};){0,4}[0-9]{1,2}m"
)
_CONTROL = regex(r"[\x00-\x08\x0e-\x1f\x7f]")
# fmt: off
_ENTITIES = (
    ("<pre>", ""), ("<code>", ""), ("&quot;", '"'), ("&#34;", '"'), ("&#39;", "'"), ("&#x27;", "'"),
    ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("</pre>", ""), ("</code>", ""), ("</p>", ""),
    ("</span>", ""),
)
# fmt: on
_DIGITS = "0123456789"
_ANY = ""
# fmt: off
_RANKS = (
    ("[", regex(r"^\[(?:rank|Rank|RANK|default|trainer|worker|GPU|gpu)[ :=]{0,2}(\d{1,6})\]:?[ ]?")),
    ("[", regex(r"^\[(\d{1,6},\d{1,6})\]<(?:stdout|stderr|stdin)>: ?")),
    ("(", regex(
        r"^\((\w{1,60}(?: (?:rank=\d{1,6}|pid=\d{1,9}|ip=[\d.]{1,20}|TP\d{1,4})){1,4}(?:, ip=[\d.]{1,20})?(?:, pid=\d{1,9})?)\) ?"
    )),
    ("nwthgrptNWTHGRPT", regex(
        r"^((?:node|worker|trainer|host|gpu|rank|pod|task|proc)[-_ ]?[\w.-]{0,60}?\d{1,6})(?:: |:(?= )| {1,4}\| ?)", re.IGNORECASE
    )),
    (_DIGITS, regex(r"^(\d{1,5}): (?! )")),
    (_DIGITS, regex(r"^(\d{1,5}):(?=   )")),
    ("[", regex(r"^\[([\w.-]{1,60}:\d{1,6})\]:? ")),
)
# fmt: on
"""Each with the characters of which one stands first in what it matches."""
_LOGGED = regex(r"\b(?:ERROR|CRITICAL|FATAL)\b")
# fmt: off
_NOISE = (
    ("[" + _DIGITS, regex(
        r"^\[?\d{4}[-/]\d{1,2}[-/]\d{1,2}[T _]\d{1,2}:\d{2}:\d{2}(?:[.,:]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?\]?(?:[ :,|]|-(?![->])){0,4}"
    )),
    ("[" + _DIGITS, regex(r"^\[?\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\]?[ :|-]{1,4}")),
    ("IWEF", regex(
        r"^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d{1,9} +(?:\d{1,12} )?[\w./-]{1,120}:\d{1,6}\] ?(?:\[\d{1,4}/\d{1,4}(?:_\d{1,3})?\] ?)?"
    )),
    ("MTWFSJAOND", regex(
        r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [\w: ,]{6,30}(?:\[\d{1,9}\])?: "
    )),
    ("[DIWECFT", regex(
        r"^\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|TRACE)(?:\|[\w./-]{1,120}:\d{1,6})?\]?(?:[ :|-]{1,4}|$)"
    )),
    (_ANY, regex(r"^(?:[\w.]{1,60}) - (?=(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) - )")),
    ("s", regex(r"^std(?:out|err) [FP] ")),  # a container's, as Kubernetes keeps it
    # vLLM's and SGLang's behind the level, rich's, and what loguru and wandb put first
    (_DIGITS, regex(r"^\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:[.,]\d{1,6})? \[[\w./-]{1,120}\.py:\d{1,6}\] ?")),
    ("[", regex(r"^\[\d{2}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}\] {1,2}")),
    (_ANY, regex(r"^[\w.]{1,60}:[\w.<>]{1,60}:\d{1,6} - ")),
    ("w", regex(r"^wandb: ")),
    ("-", regex(r"^- (?=(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b)")),
    (">", regex(r"^(?:> ?){1,6}")),
    ("E", regex(r"^E {3}(?= *\S)")),
    ("#", regex(r"^#\d{1,3} ")),
    ("│|║┃", regex(r"^[│|║┃] ?")),
    ("!", regex(r"^(?:!!! )")),
)
# fmt: on


_MARKS = frozenset("^~ ")
_FRAME = " \t│┃║"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line's text and the rank it is from."""

    rank: str
    """The prefix that tells one process from another: "3", "1,5", "VllmWorker rank=0"; "" where there is none."""
    text: str
    error: bool = False
    """True if it was logged as an error."""
    column: int = 0
    """The text's offset in the line as it was printed, in characters."""


def read(data: bytes) -> Line:
    """Return a UTF-8 line of a log, `cleaned`; cached, since lines around one message are often around the next one."""
    return (_kept if len(data) <= _SHORT else _read)(data)


def _read(data: bytes) -> Line:
    return cleaned(data.decode("utf-8", "replace"))


_kept = lru_cache(maxsize=8192)(_read)


def cleaned(raw: str) -> Line:
    """Return the line without colours, timestamps, rank prefixes, quote marks and frames."""
    text = raw[:LONGEST]
    if "\x1b" in text or ("m" in text[:2000] and "[" in text):
        text = _ANSI.sub("", text)
    if "&" in text or "<" in text:
        for entity, char in _ENTITIES:
            text = text.replace(entity, char)
    text = _CONTROL.sub("", text.rstrip("\r\n")).strip("\ufeff")
    whole = text
    ranks: list[str] = []
    for _ in range(8):
        shorter = _shorter(text.lstrip(" \t"), ranks)
        if shorter is None:
            break
        text = shorter
    logged = _LOGGED.search(whole, 0, len(whole) - len(text)) is not None
    shown = text.lstrip(_FRAME)
    return Line(
        rank=" ".join(ranks),
        text=shown.rstrip(_FRAME).strip(),
        error=logged,
        column=len(whole) - len(shown),
    )


def is_marks(text: str) -> bool:
    """Check whether a line holds nothing but the carets by which Python 3.11 and newer mark what failed."""
    return "^" in text and _MARKS.issuperset(text)


def _shorter(text: str, ranks: list[str]) -> str | None:
    """Return the text without its first prefix, or None if it has none; a rank is added to `ranks`."""
    begins = text[:1]
    for first, form in _RANKS:
        found = form.match(text) if begins in first else None
        if found:
            ranks.append(found[1])
            return text[found.end() :]
    for first, form in _NOISE:
        found = form.match(text) if first is _ANY or begins in first else None
        if found and found.end():
            return text[found.end() :]
    return None
