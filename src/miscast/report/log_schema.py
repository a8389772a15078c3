"""The JSON of `explain`, schema 1: `{"schema": 1, "explanations": […]}`, frozen as `schema` is."""

from __future__ import annotations

from msgspec import Struct


class Cause(Struct, kw_only=True):
    """A likely cause, with the evidence for it."""

    name: str
    text: str
    evidence: tuple[str, ...]
    weight: float


class OriginEvent(Struct, kw_only=True):
    """A line that gave a tensor its dtype or device."""

    how: str
    dtype: str
    device: str
    file: str
    line: int
    code: str


class Operand(Struct, kw_only=True):
    """An operand. The last three fields are known only for an exception, not for text."""

    name: str
    role: str | None
    dtype: str | None
    device: str | None
    shape: tuple[int, ...] | None
    path: str | None
    since: tuple[OriginEvent, ...]

    def __post_init__(self) -> None:
        self.role, self.path = self.role or None, self.path or None
        self.dtype, self.device = self.dtype or None, self.device or None


class Place(Struct, kw_only=True):
    """The user's line, and the library that raised."""

    file: str
    line: int | None
    function: str
    code: str
    library: str | None

    def __post_init__(self) -> None:
        self.line, self.library = self.line or None, self.library or None


class Explanation(Struct, kw_only=True):
    """One error."""

    category: str
    error: str
    op: str | None
    op_guessed: bool
    operands: tuple[Operand, ...]
    location: Place | None
    module: str | None
    causes: tuple[Cause, ...]
    help: tuple[str, ...]
    count: int
    ranks: tuple[str, ...]
    lines: tuple[int, int]
    pattern: str

    def __post_init__(self) -> None:
        self.op = self.op or None


class Explanations(Struct, kw_only=True):
    """The result of `explain` or `run`."""

    schema: int = 1
    explanations: tuple[Explanation, ...]
