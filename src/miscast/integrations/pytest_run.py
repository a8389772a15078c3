"""A test's own code on a virtual machine, and what pytest is told of it.

Tensors have no data there, and what asks for a value gets a stand-in. So what is found fails the test, and values
decide nothing: an assertion that fails ends the run, what was seen up to it counts, and the summary names the line. Any
other exception could come of a stand-in, too: nothing found, the test is skipped, with the reason.
"""

from __future__ import annotations

import unittest
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from ..api import CannotRunError, check
from ..report.wording import relative
from ..vm.provenance.on_behalf import theirs

if TYPE_CHECKING:
    from ..report import Report

_ENDED, _UNCHECKED = "miscast-ended", "miscast-unchecked"
_THEIRS = (
    KeyboardInterrupt, pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception, unittest.SkipTest,
)  # fmt: skip
"""Exceptions with which a test ends itself, on any values."""
_LISTED = 20


def in_turn(
    item: pytest.Function, method: Callable[..., Any], machines: Sequence[str]
) -> Callable[[], None]:
    """Return a TestCase's method that runs on one machine after the other; "real" runs it unchanged."""

    def test() -> None:
        for machine in machines:
            if machine == "real":
                method()
            else:
                run(item, method, {}, machine)

    return test


def run(
    item: pytest.Function,
    test: Callable[..., Any],
    given: Mapping[str, Any],
    machine: str,
) -> bool | None:
    """Run a test with its fixtures on a machine, and fail for findings. None: not run, as it is a coroutine."""
    import inspect

    if inspect.iscoroutinefunction(test) or inspect.isasyncgenfunction(test):
        return None
    raised: list[BaseException] = []

    def called(**fixtures: Any) -> None:
        try:
            theirs(test, **fixtures)
        except BaseException as error:
            raised.append(error)
            raise

    try:
        report = check(called, machine=machine, **given)
    except CannotRunError as error:
        pytest.fail(f"miscast: {error}", pytrace=False)
    end = raised[0] if raised else None
    if isinstance(end, _THEIRS):
        raise end
    item.user_properties += _vouched(report)
    if report.findings or report.failed is not None:
        assert_clean(report)
    if report.ended is not None and not isinstance(end, AssertionError):
        pytest.skip(
            f"on {machine}, not finished: {report.ended} · no findings before that"
        )
    if item.get_closest_marker("xfail") is not None:
        pytest.skip(
            f"on {machine}, nothing found; the expected failure may depend on values, which are not checked"
        )
    if report.ended is not None:
        item.user_properties.append((_ENDED, f"{item.nodeid}: {report.ended}"))
    return True


def assert_clean(report: Report) -> None:
    """Fail the test, with the report as its text, unless all of it was seen and nothing found."""
    if report.findings:
        pytest.fail(str(report), pytrace=False)
    why = report.failed or (report.ended and f"not finished: {report.ended}")
    if why:
        pytest.fail(f"on {report.machine}: {why}\n{report}", pytrace=False)


def summary(reports: Sequence[pytest.TestReport]) -> Iterator[str]:
    """Yield what was not checked: lines after failed assertions, and ops without a contract."""
    told: dict[str, list[str]] = {_ENDED: [], _UNCHECKED: []}
    for report in reports:
        for name, text in report.user_properties:
            told.setdefault(name, []).append(str(text))
    ended = told[_ENDED]
    if ended:
        yield (
            "an assertion failed because values are placeholders; the code after it was not checked:"
        )
        yield from (f"  {relative(text.splitlines()[0])}" for text in ended[:_LISTED])
        if len(ended) > _LISTED:
            yield f"  and {len(ended) - _LISTED} more"
    unchecked: Counter[str] = Counter()
    for text in told[_UNCHECKED]:
        op, _, count = text.rpartition(" ")
        unchecked[op] += int(count)
    if unchecked:
        ops = ", ".join(f"{op} ({count})" for op, count in unchecked.most_common())
        yield f"not checked, because there is no dtype rule for them: {ops}"


def _vouched(report: Report) -> list[tuple[str, object]]:
    return [(_UNCHECKED, f"{op} {count}") for op, count in report.unchecked.items()]
