"""Where a failure can be put into Miscast: every function of its stages, by its code object, and how it is made fail.

A function's `__code__` is exchanged, so that everyone who holds the function, under whatever name, meets the failure.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import pkgutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import miscast

ROOT = str(Path(miscast.__file__).parent)
LOOKING = ("vm/", "running/")
STAGES = (
    *LOOKING, "judging/", "report/", "torch_facts/contracts", "torch_facts/autocast", "fixing/remedy", "core/machines",
)  # fmt: skip
# Where a failure is made into a report, and what begins before there is one.
MACHINERY = (
    "vm/provenance/on_behalf", "vm/provenance/whose_failure", "running/process/cleanup", "vm/nesting",
    "running/program/run", "report/plain", "report/report", "report/judged", "report/outlet", "report/__init__",
    "core/machines/", "running/workers", "running/distributed", "running/precision", "vm/reach",
)  # fmt: skip
EXCEPTIONS = (RuntimeError, KeyError, AttributeError)


def import_all() -> None:
    for info in pkgutil.walk_packages(miscast.__path__, "miscast."):
        if f"{info.name.partition('.')[2].replace('.', '/')}/".startswith((*LOOKING, *STAGES)):
            importlib.import_module(info.name)


def name_of(code: CodeType) -> str:
    return f"{code.co_filename[len(ROOT) + 1 :]}:{code.co_qualname}"


def functions() -> dict[CodeType, FunctionType]:
    """Every function of the stages that is alive and closes over nothing: what its code reads is in its module."""
    found = {}
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename.startswith(ROOT) and not one.__code__.co_freevars:
            place = one.__code__.co_filename[len(ROOT) + 1 :]
            if place.startswith(STAGES) and not place.startswith(MACHINERY) and "<" not in one.__qualname__:
                found[one.__code__] = one
    return found


@contextmanager
def counted(calls: Counter[CodeType]) -> Iterator[None]:
    """How often each code object is called."""

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOT):
            calls[frame.f_code] += 1

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


class Injection:
    """A function that fails at its n-th call, from a frame of the tests or as its own Python code would."""

    current: Injection | None = None

    def __init__(self, function: FunctionType, error: type[Exception], nth: int, *, plain: bool, at_end: bool) -> None:
        self.function, self.error, self.nth, self.plain, self.at_end = function, error, nth, plain, at_end
        self.calls = 0
        self.met = False
        self.watch: Callable[[], set[int]] = set
        self.seen: set[int] = set()  # what `watch` says when it fails
        self.code = function.__code__
        self.original = FunctionType(
            self.code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        self.original.__kwdefaults__ = function.__kwdefaults__

    def __enter__(self) -> Injection:
        Injection.current = self
        self.function.__code__ = _stub.__code__.replace(co_filename=self.code.co_filename)
        return self

    def __exit__(self, *_: object) -> None:
        self.function.__code__ = self.code
        Injection.current = None

    def hit(self, args: Any, kwargs: Any) -> tuple[bool, Any]:
        """Whether to fail now; else what the function returns."""
        self.calls += 1
        now = self.calls == self.nth
        if now:
            self.seen = self.watch()
        if now and not self.at_end:
            self.met = True
            return True, None
        out = self.original(*args, **kwargs)
        if now and inspect.isgenerator(out):
            code = Injection.ending.__code__.replace(co_filename=self.code.co_filename)
            return False, FunctionType(code, globals())(self, out)
        self.met = self.met or now
        return now, out

    def fail(self) -> None:
        raise self.error("injected")

    def ending(self, out: Any) -> Any:
        """A context that does all it should on its way out, and then fails."""
        yield from out
        self.met = True
        self.fail()


def _stub(*args: Any, **kwargs: Any) -> Any:
    import sys

    one = sys.modules["miscast_failing_places"].Injection.current
    fails, out = one.hit(args, kwargs)
    if not fails:
        return out
    if not one.plain:
        return one.fail()
    return {}["injected"] if one.error is KeyError else None.injected


sys.modules["miscast_failing_places"] = sys.modules[__name__]
