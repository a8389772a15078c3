"""The cells that a notebook's kernel runs are called `In[3]`, as in tracebacks, and not by a file that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ...machine import VirtualMachine


def _named(_vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    def get_code_name(_self: Any, _raw: str, _code: str, number: int) -> str:
        return f"In[{number}]"

    yield Patch(module.XCachingCompiler, "get_code_name", get_code_name)


LATER = {"ipykernel.compiler": _named}
