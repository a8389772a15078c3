"""Register Miscast with pytest: an option, a marker and a fixture. The virtual run itself is in `pytest_run.py`.

    pytest --miscast=a100,v100
    @pytest.mark.miscast(machines=["v100", "a100"])
    def test_step(miscast): miscast.check(train_step, model, batch, machine="v100")

pytest imports this file wherever Miscast is installed, so it imports nothing that pytest has not imported already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..core.machines import Choice
    from ..report import Report

_OPTION = "--miscast"
_DEFAULT = "default"
"""The word for the machine that `miscast check` takes where none is named."""
_PARAMETER = "miscast_machine"
_REAL = "real"
_MARKER = (
    "miscast(machines, real=True): also run the test's own code on each of these virtual machines "
    "(real=False: only there)"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--miscast[=machine,…]`."""
    parser.getgroup("miscast", "dtype and device mistakes").addoption(
        _OPTION,
        nargs="?",
        const=_DEFAULT,
        metavar="MACHINE,…",
        help="run each test's own code on virtual machines instead of for real, and fail on dtype and device mistakes "
        "(default: as 'miscast check'; see 'miscast machines')",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(args: list[str]) -> None:
    """Join `--miscast` with the next word only if that names a machine: `--miscast tests/` has no value."""
    for at, word in enumerate(args):
        if word == _OPTION:
            following = args[at + 1] if at + 1 < len(args) else ""
            named = _fault(following) == "" if following else False
            args[at : at + 1 + named] = [
                f"{_OPTION}={following if named else _DEFAULT}"
            ]


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; an unknown machine ends the session with one line."""
    config.addinivalue_line("markers", _MARKER)
    told = config.getoption(_OPTION, None)
    if told is not None and (fault := _fault(told)):
        raise pytest.UsageError(f"{_OPTION}: {fault}")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Return a header line with the machines on which the tests run."""
    told = config.getoption(_OPTION, None)
    if told is None:
        return []
    on = ", ".join(_split(told))
    if told == _DEFAULT:
        choice = _usual()
        on = f"{choice.spec} ({choice.reason})"
    return [
        f"miscast: tests run on virtual {on}: dtypes and devices are checked, values are not"
    ]


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test for each of several machines."""
    machines = _machines(metafunc.definition)
    if len(machines) > 1:
        metafunc.fixturenames.append(_PARAMETER)
        metafunc.parametrize(_PARAMETER, machines, ids=machines)


@pytest.fixture
def miscast_machine() -> str:
    """Return the virtual machine that a test runs on, where it is marked with several."""
    return _usual().spec  # parametrized, it is another


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Return a test that is a function, on its virtual machine."""
    machine = _machine(pyfuncitem)
    if machine == _REAL or _checks_itself(pyfuncitem):
        return None
    from .pytest_run import run

    # pytest's own hook has no public name for them either
    names = pyfuncitem._fixtureinfo.argnames
    given = {name: pyfuncitem.funcargs[name] for name in names}
    return run(pyfuncitem, pyfuncitem.obj, given, machine)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Yield a method of a unittest.TestCase: pytest lets unittest call it, by its name."""
    machines = _machines(item) if _is_unittest(item) else []
    if machines and machines != [_REAL] and isinstance(item, pytest.Function):
        from .pytest_run import in_turn

        item.obj = in_turn(item, item.obj, machines)
    return (yield)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what the runs on virtual machines have not checked."""
    reports = [
        one
        for kind in ("passed", "failed", "skipped")
        for one in terminalreporter.getreports(kind)
        if any(name.startswith("miscast") for name, _ in one.user_properties)
    ]
    if reports:
        from .pytest_run import summary

        terminalreporter.section("miscast")
        for line in summary(reports):
            terminalreporter.write_line(line)


class Checks:
    """The fixture `miscast`: `check` fails the test if there are findings."""

    def __init__(self, machine: str | None) -> None:
        """Take the `machine` of checks that name none."""
        self.machine = machine

    def check(
        self,
        fn: Callable[..., Any],
        *args: Any,
        machine: str | None = None,
        **kwargs: Any,
    ) -> Report:
        """Call `miscast.check(fn, *args, machine=…, **kwargs)`; the test fails, with the report, if it is not clean."""
        from ..api import check
        from .pytest_run import assert_clean

        report = check(fn, *args, machine=machine or self.machine, **kwargs)
        assert_clean(report)
        return report


@pytest.fixture
def miscast(request: pytest.FixtureRequest) -> Checks:
    """Check callables on virtual machines: `miscast.check(train_step, model, batch, machine="v100")`."""
    machine = _machine(request.node)
    return Checks(None if machine == _REAL else machine)


def _machine(item: pytest.Item) -> str:
    """Return the one that a test runs on, "real" for none."""
    machines = _machines(item)
    call = getattr(item, "callspec", None)
    if len(machines) > 1 and call is not None:
        return str(call.params.get(_PARAMETER, _REAL))
    return machines[0] if machines else _REAL


def _machines(item: pytest.Item) -> list[str]:
    """Return where a test is to run: machines by name, and "real"; none for a test as it ever was."""
    told = item.config.getoption(_OPTION, None)
    mark = item.get_closest_marker("miscast")
    if mark is None:
        return _split(told) if told else []
    machines, real = _marked(item, mark)
    machines = machines or _split(told or _DEFAULT)
    alone = told is not None or not real or _checks_itself(item)
    return machines if alone else [_REAL, *machines]


def _marked(item: pytest.Item, mark: pytest.Mark) -> tuple[list[str], bool]:
    """Return what the marker says. Raises UsageError for what it cannot."""
    said = {**dict(zip(("machines", "real"), mark.args, strict=False)), **mark.kwargs}
    given = said.pop("machines", ())
    machines = _split(given) if isinstance(given, str) else list(map(str, given))
    real = bool(said.pop("real", True))
    fault = f"no argument {min(said)!r}" if said else _fault(",".join(machines))
    if fault and (machines or said):
        raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.miscast: {fault}")
    return machines, real


def _checks_itself(item: Any) -> bool:
    """Check whether a test has the fixture; then it runs unchanged, and what it passes to the fixture is checked."""
    return "miscast" in getattr(item, "fixturenames", ())


def _is_unittest(item: pytest.Item) -> bool:
    import unittest  # pytest has imported it where there is such a test

    return issubclass(getattr(item, "cls", None) or object, unittest.TestCase)


def _split(told: str) -> list[str]:
    named = [one.strip() for one in told.split(",") if one.strip()]
    return [_usual().spec if one == _DEFAULT else one for one in named]


def _usual() -> Choice:
    """Return the machine that is taken where none is named. Raises UsageError."""
    from ..api import chosen_machine

    try:
        return chosen_machine(None, option="machine")
    except ValueError as error:
        raise pytest.UsageError(f"{_OPTION}: {error}") from None


def _fault(told: str) -> str:
    """Return what is wrong with the text that names machines; "" if nothing is."""
    from ..core import machines

    named: Iterable[str] = _split(told) or [told]
    for one in named:
        try:
            machines.virtual(one)
        except machines.UnknownMachineError as error:
            return str(error)
    return ""
