"""One test for all entries of a table. Every entry runs, and each that fails is reported with its name.

    @sweep("name, text", EXAMPLES)
    def test_an_example_is_recognised(name, text): ...

    pytest -k test_an_example_is_recognised --entry 'matmul*'      the entries of that name alone

As `pytest.mark.parametrize`, but without an item per entry: thousands of items take longer to collect than to run.
Fixtures are made once for the test, except `tmp_path` (a folder per entry) and `monkeypatch` (undone after each).
"""

from __future__ import annotations

import functools
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

Ids = Callable[[Any], Any] | Iterable[str] | None
_FAILURES = Exception, pytest.fail.Exception, pytest.skip.Exception  # the last two derive from BaseException


def sweep(names: str | Sequence[str], entries: Iterable[Any], *, ids: Ids = None) -> Callable[..., Any]:
    """Decorate a test that takes the arguments `names`: an entry is the value of one name, or a tuple of several.

    `ids` are the names of the entries, or a function of a value; by default a name is made of the strings and numbers
    of an entry.
    """
    arguments = re.findall(r"\w+", names) if isinstance(names, str) else [*names]
    rows = [(entry,) if len(arguments) == 1 else tuple(entry) for entry in entries]
    table = list(zip(_names(rows, ids), rows, strict=True))

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        own = [one for name, one in inspect.signature(test).parameters.items() if name not in arguments]

        @functools.wraps(test)
        def swept(subtests: pytest.Subtests, pytestconfig: pytest.Config, **fixtures: Any) -> None:
            __tracebackhide__ = True
            wanted = pytestconfig.getoption("--entry")
            chosen = [(name, row) for name, row in table if fnmatchcase(name, wanted)]
            if table and not chosen:
                pytest.skip(f"no entry is named {wanted}")
            for number, (name, row) in enumerate(chosen):
                try:
                    with _of_one_entry(fixtures, number) as given:
                        test(**given, **dict(zip(arguments, row, strict=True)))
                except _FAILURES:
                    with subtests.test(name):  # passing entries are no subtests: each would cost a report
                        raise

        needed = (inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in ("subtests", "pytestconfig"))
        swept.__signature__ = inspect.Signature([*own, *needed])  # type: ignore[attr-defined]
        return swept

    return decorate


@contextmanager
def _of_one_entry(fixtures: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """Replace the fixtures that an entry does not share with the others."""
    given = dict(fixtures)
    with ExitStack() as stack:
        if "monkeypatch" in given:
            given["monkeypatch"] = stack.enter_context(pytest.MonkeyPatch.context())
        if "tmp_path" in given:
            given["tmp_path"] = Path(given["tmp_path"], str(number))
            given["tmp_path"].mkdir()
        yield given


def _names(rows: Sequence[tuple[Any, ...]], ids: Ids) -> list[str]:
    if ids is not None and not callable(ids):
        return [*map(str, ids)]
    names = ["-".join(filter(None, (_name(value, ids) for value in row))) for row in rows]
    count = Counter(names)
    return [name if name and count[name] == 1 else f"{name}#{number}" for number, name in enumerate(names)]


def _name(value: Any, ids: Callable[[Any], Any] | None) -> str:
    own = ids(value) if ids else None
    if own is not None:
        return str(own)
    if isinstance(value, (str, int, float, complex)) or value is None:
        return str(value)
    return getattr(value, "__name__", "")
