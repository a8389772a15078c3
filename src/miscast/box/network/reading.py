"""The libraries that read from a hub, and their reading requests: one entry per library."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .questions import QUESTION

if TYPE_CHECKING:
    from types import FrameType

_CARRIERS = frozenset({
    *(
        "httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3", "http", "urllib", "socket", "ssl",
        "anyio",
    ),
    *("asyncio", "concurrent", "contextlib", "functools", "queue", "threading", "tenacity", "tqdm", "miscast"),
})  # fmt: skip
_HEADERS = frozenset(
    {"authorization", "range", "user-agent", "accept", "content-type", "if-none-match"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """`hosts` end so (of none, every one); `writes` are GETs that send; `questions` POSTs that only ask."""

    hosts: tuple[str, ...]
    endpoint: tuple[str, str] = ("", "")
    writes: str = r"(?!)"
    questions: str = r"(?!)"
    headers: frozenset[str] = _HEADERS


BY_LIBRARY = {
    "huggingface_hub": Library(
        hosts=("huggingface.co", "hf.co"),
        endpoint=("huggingface_hub.constants", "ENDPOINT"),
        writes=r"/api/telemetry\b",
        questions=QUESTION,
    ),
    "torch.hub": Library(hosts=()),
    "modelscope": Library(hosts=("modelscope.cn", "modelscope.ai")),
}


def reader(frame: FrameType | None) -> str | None:
    """Return the hub library that asks: the innermost code except for libraries that only carry requests."""
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        root = name.partition(".")[0]
        if root not in _CARRIERS:
            return next(
                (
                    library
                    for library in BY_LIBRARY
                    if name == library or name.startswith(f"{library}.")
                ),
                None,
            )
        frame = frame.f_back
    return None


def asks(library: str, method: str, url: str, redirected: set[str]) -> bool:
    """Check whether a request of this library only reads, and from its hub or from where that has sent it."""
    known, to = BY_LIBRARY[library], urlsplit(url)
    if re.search(known.writes, to.path):
        return False
    if method not in {"GET", "HEAD"} and not (
        method == "POST" and re.fullmatch(known.questions, to.path)
    ):
        return False
    return not known.hosts or to.netloc in redirected or at_home(known, to.netloc)


def at_home(known: Library, netloc: str) -> bool:
    """Check whether a host belongs to a hub."""
    module, name = known.endpoint
    endpoint = getattr(sys.modules.get(module), name, "")
    host = netloc.rpartition("@")[2].partition(":")[0]
    return netloc == urlsplit(str(endpoint)).netloc or any(
        host == end or host.endswith(f".{end}") for end in known.hosts
    )
