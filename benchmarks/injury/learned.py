"""What the names of a program stand for, seen in one real run: a cast can stray only where a tensor is.

>>> learned["main.py", "train_step", "mask"]
frozenset({'float32'})
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

Learned: TypeAlias = Mapping[tuple[str, str, str], frozenset[str]]
"""(file, function, name) → the dtypes of the tensors, or "module", that the name stood for when the function ended."""


def watch(run: Callable[[], object], folder: Path) -> dict[tuple[str, str, str], list[str]]:
    """Call `run` and learn the names of all functions whose code is in `folder`."""
    seen: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    inside = str(folder)

    def note(frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if event == "call":
            if not code.co_filename.startswith(inside):
                return None
            frame.f_trace_lines = False
        elif event == "return":
            file = Path(code.co_filename).name
            for name, value in frame.f_locals.items():
                what = _kind(value)
                if what:
                    seen[file, code.co_name, name].add(what)
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        run()
    finally:
        sys.settrace(before)
    return {key: sorted(kinds) for key, kinds in seen.items()}


def _kind(value: object) -> str:
    import torch

    if isinstance(value, torch.Tensor):
        return str(value.dtype).removeprefix("torch.")
    return "module" if isinstance(value, torch.nn.Module) else ""
