"""Trackers run without their servers, by their own switches, so that all of their API goes on working."""

from __future__ import annotations

import functools
import inspect
import os
import re
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from miscast.running.process.patching import Patch

from ..trackers import TRACKERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from ..gate import Gate
    from ..trackers import Tracker

_SERVERS = re.compile(r"https?://|aim://|databricks\b|uc\b|databricks-uc\b")


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Yield what the entries of this module say."""
    for tracker in TRACKERS:
        if tracker.module == module.__name__:
            yield from _patches(gate, module, tracker)


def _patches(gate: Gate, module: Any, tracker: Tracker) -> Iterator[Patch]:
    for name in tracker.kept:
        if name in vars(module):  # set to what it is, so that it is put back
            gate.later(functools.partial(setattr, module, name, vars(module)[name]))
    for name, value in tracker.environment.items():
        if name not in os.environ:
            os.environ[name] = value
            gate.later(functools.partial(os.environ.pop, name, None))
    for path, make in _calls(module, tracker):
        owner, _, name = path.rpartition(".")
        holder = getattr(module, owner, None) if owner else module
        original = inspect.getattr_static(holder, name, None)
        if isinstance(original, classmethod):
            function = original.__func__
            new = gate.instead(function, make(gate, tracker, function))
            yield Patch(holder, name, classmethod(new))
        elif callable(original):
            new = gate.instead(original, make(gate, tracker, original))
            yield Patch(holder, name, new)


def _calls(module: Any, tracker: Tracker) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield a function's path with the factory of its replacement while the gate is shut."""
    for path, arguments in tracker.forced.items():
        yield path, functools.partial(_forced, arguments=arguments)
    for path, answer in tracker.answered.items():
        yield path, functools.partial(_answered, answer=answer)
    for path, argument in tracker.local.items():
        yield path, functools.partial(_local, name=argument)
    for path, switch in tracker.before.items():
        yield path, functools.partial(_before, module=module, switch=switch)
    for path in tracker.muted:
        yield path, _muted


def _forced(
    gate: Gate, tracker: Tracker, original: Any, *, arguments: dict[str, Any]
) -> Any:
    def call(*given: Any, **named: Any) -> Any:
        if tracker.only_with and not any(named.get(name) for name in tracker.only_with):
            return original(*given, **named)
        gate.tell(tracker.server, "upload")
        return original(*given, **{**named, **arguments})

    return call


def _answered(gate: Gate, tracker: Tracker, original: Any, *, answer: Any) -> Any:
    def call(*_: Any, **__: Any) -> Any:
        name = original.__name__
        gate.tell(tracker.server, "log in" if name == "login" else name)
        return answer

    return call


def _before(
    gate: Gate,
    tracker: Tracker,
    original: Any,
    *,
    module: Any,
    switch: tuple[str, Any, Any],
) -> Any:
    def call(*given: Any, **named: Any) -> Any:
        path, on, off = switch
        gate.tell(tracker.server, "upload")
        turn = functools.reduce(getattr, path.split("."), module)
        turn(*on)
        gate.later(functools.partial(turn, *off))
        return original(*given, **named)

    return call


def _muted(gate: Gate, tracker: Tracker, original: Any) -> Any:
    """Return a run that is not a disabled one began before, and has its server."""

    def call(self: Any, *given: Any, **named: Any) -> Any:
        if getattr(self, "disabled", False):
            return original(self, *given, **named)
        gate.tell(tracker.server, "upload")
        return None

    return call


def _local(gate: Gate, tracker: Tracker, original: Any, *, name: str) -> Any:
    """Return an address of a server becomes that of a folder."""
    told: set[tuple[Any, int]] = set()
    place = list(inspect.signature(original).parameters).index(name)

    def call(*given: Any, **named: Any) -> Any:
        at_place = given[place] if len(given) > place else ""
        uri = str(named.get(name, at_place))
        if not _SERVERS.match(uri):
            return original(*given, **named)
        caller = _caller(tracker.module.partition(".")[0])
        if caller not in told:  # one call of the program asks for its store many times
            told.add(caller)
            gate.tell(urlsplit(uri).netloc or uri, "upload")
        folder = gate.folder()
        if name in named:
            return original(*given, **{**named, name: folder})
        return original(*given[:place], folder, *given[place + 1 :], **named)

    return call


def _caller(library: str) -> tuple[Any, int]:
    """Return where a library was called."""
    frame: FrameType | None = sys._getframe(1)
    passed = {library, "miscast", "functools"}
    while (
        frame is not None
        and frame.f_globals.get("__name__", "").partition(".")[0] in passed
    ):
        frame = frame.f_back
    return (None, 0) if frame is None else (frame.f_code, frame.f_lasti)


MODULES = {tracker.module: patches for tracker in TRACKERS}
