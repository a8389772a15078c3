"""A message that torch or a library raises, as data; and all of them, by discovery.

Pattern(
    name="matmul-operands-named",
    category="dtype-mismatch",
    texts=("mat1 and mat2 must have the same dtype, but got {mat1} and {mat2}",),
    op="linear",
    raised_by="F.linear(torch.ones(2, 2), torch.ones(2, 2).half())",
)
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from ..core.frozen import dataclass, field
from ..core.plugins import each, load, name_of
from .sentence import Sentence
from .template import Template

Category = Literal[
    "dtype-mismatch", "device-mismatch", "unsupported-dtype", "unsupported-device", "precision-config",
    "grad-scaler", "overflow-nan", "distributed-dtype",
]  # fmt: skip

Place = Literal[
    "", "calls", "collective", "changed", "launched", "line", "words", "file", "function", "outside_torch",
    "message", "operand", "argument", "other argument", "dtype", "first dtype",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OpClue:
    """A clue to the op of a message that does not name it: one of the `words` at a place (`clues.py`)."""

    op: str = ""
    """The op it tells; "" of the places from "calls" to "line", which name one themselves."""
    place: Place = ""
    """The place to search for the words; "" if the op needs none."""
    words: tuple[str, ...] = ("",)
    frames: int = 1
    """Number of innermost frames to search, if the place is a part of a frame."""
    dtype: str = ""
    """A dtype that one of the operands must have as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One message: how it reads, what it means, and how it is made to appear."""

    name: str
    category: Category
    texts: tuple[str, ...]
    """Templates (`template.py`): the spellings of this message over the versions."""
    op: str = ""
    """The op, where the message does not name it in a hole {op:name} or {kernel:name}; "" if only the frames tell."""
    op_clues: tuple[OpClue, ...] = ()
    """Clues that are more reliable than `op`, the strongest first."""
    usual_op: tuple[OpClue, ...] = ()
    """The op that most often raises it, told as a guess where nothing else tells."""
    library: str = "torch"
    """Its source."""
    operands: tuple[tuple[str, str, str], ...] = ()
    """Operands that the message implies without printing them: (operand, dtype or "", device or "")."""
    implies: tuple[str, ...] = ()
    """Names of causes (`causes/`) that this very message points at, most likely first."""
    unless: tuple[str, ...] = ()
    """Squashed words that make the message another thing: then nothing is claimed."""
    unless_from: tuple[str, ...] = ()
    """Files of the user's innermost frame from which it is not claimed either."""
    part_of: tuple[str, ...] = ()
    """Words, in lower case, of the lines beside it that make it a part of a longer message, which is told there."""
    ends: tuple[str, ...] = ()
    """Names of patterns whose messages lead to this one: beside it they are not told."""
    spoken: bool = False
    """Its texts are sentences (`sentence.py`): ordinary words, asked only where no message of its own fits."""
    faint: bool = False
    """Other worlds say the same of their own types: claimed only where the message or a frame tells of torch's."""
    differ: bool = False
    """True if the text has other causes too: the pattern applies only if the dtypes that it reads differ."""
    lists: Literal["", "fake tensors", "signatures"] = ""
    """Format of its list of operands (`listed.py`). The pattern then applies only if they show a mismatch."""
    raised_by: str = ""
    """Python that makes real torch raise it on a CPU, with `torch` and `F` given. A test runs it."""
    examples: tuple[str, ...] = ()
    """Texts of the message, for what neither a CPU can raise nor the corpus holds. A test reads them."""
    templates: tuple[Template, ...] = field(init=False, compare=False)
    sentences: tuple[Sentence, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Make templates or sentences of the texts."""
        object.__setattr__(
            self, "templates", () if self.spoken else tuple(map(Template, self.texts))
        )
        object.__setattr__(
            self, "sentences", tuple(map(Sentence, self.texts)) if self.spoken else ()
        )


@cache
def patterns() -> tuple[Pattern, ...]:
    """Return every pattern, the more specific ones first: those of named families, then `general`."""
    from . import patterns as folder

    files = load(folder.__name__, needs=(each("PATTERNS", Pattern),))
    ordered = sorted(files, key=lambda file: name_of(file) == "general")
    return tuple(pattern for file in ordered for pattern in file.PATTERNS)
