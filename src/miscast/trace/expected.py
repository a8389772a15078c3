"""Whether the program is prepared for an error at a line: a `try` around it catches what torch would raise there.

Programs probe for hardware that way (`try: model.cuda() except RuntimeError: …`). There the error must be raised, as
torch raises it; a finding would be a false alarm.
"""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING

from .origin import locate, places

if TYPE_CHECKING:
    from types import FrameType

_CATCH_ALL = {"Exception", "BaseException"}


def catches(frame: FrameType, error: type[BaseException]) -> bool:
    """Whether the user's innermost line below `frame` stands in a `try` that catches `error`."""
    location = locate(places(frame)[0])
    if location is None:
        return False
    try:
        tree = ast.parse("".join(linecache.getlines(location.file)))
    except (SyntaxError, ValueError):
        return False
    wanted = _CATCH_ALL | {kind.__name__ for kind in error.__mro__}
    return any(
        isinstance(node, ast.Try)
        and node.body[0].lineno <= location.line <= (node.body[-1].end_lineno or 0)
        and any(wanted & _caught(handler) for handler in node.handlers)
        for node in ast.walk(tree)
    )


def _caught(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return _CATCH_ALL
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {ast.unparse(kind).rpartition(".")[2] for kind in kinds}
