"""The plugin in pytest itself, in processes of its own: what fails, what does not, and what is said of the rest."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from importlib import metadata

import pytest

from command import SOURCE

SUITE = """
import unittest

import pytest
import torch
from torch import nn


@pytest.fixture
def model():
    return nn.Linear(4, 4)


def test_clean(model):
    loss = model(torch.randn(2, 4)).square().mean()
    loss.backward()
    assert model.weight.grad.dtype == torch.float32


def test_found(model):
    model.half()(torch.randn(2, 4))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=["half", "float"])
def test_parametrized(model, dtype):
    model(torch.randn(2, 4, dtype=dtype))


def test_a_value_decides_nothing(model):
    assert model(torch.randn(2, 4)).sum() > 1e9


def test_found_before_a_value(model):
    model.half()(torch.randn(2, 4))
    assert 1 == torch.randn(2).sum()


def test_expects_the_error(model):
    with pytest.raises(RuntimeError, match="dtype"):
        model.half()(torch.randn(2, 4))


def test_ends_early(model):
    with pytest.raises(ValueError):
        model(torch.randn(2, 4))


@pytest.mark.xfail(strict=True)
def test_expected_to_fail():
    assert 1 == torch.ones(2).sum()


def test_skips():
    pytest.skip("not here")


class TestOfPytest:
    def test_method(self, model):
        model.cuda()(torch.randn(2, 4))


class TestOfUnittest(unittest.TestCase):
    def setUp(self):
        self.model = nn.Linear(4, 4)

    def test_method(self):
        self.model.cuda()(torch.randn(2, 4))

    def test_clean(self):
        self.assertEqual(self.model.cuda()(torch.randn(2, 4, device="cuda")).device.type, "cuda")
        with self.assertRaises(RuntimeError):
            self.model(torch.randn(2, 4))


def test_checks_itself(miscast, model):
    miscast.check(model.forward, torch.randn(2, 4))
"""

MARKED = """
import pytest
import torch
from torch import nn

REAL = []


@pytest.mark.miscast(machines=["v100", "a100"])
def test_really_too():
    REAL.append(torch.ones(2).sum().item())
    assert torch.ones(3, dtype=torch.bfloat16).sum() == 3


@pytest.mark.miscast(machines=["a100"], real=False)
def test_only_there():
    nn.Linear(4, 4).cuda()(torch.randn(2, 4))


def test_it_was_real_once():
    assert REAL == [2.0, 2.0, 2.0] or REAL[0] == 2.0


@pytest.mark.miscast(machines=["v100", "cpu"])
def test_the_fixture_has_the_machine(miscast, request):
    assert request.node.callspec.id == miscast.machine
    assert not miscast.check(lambda x: x + 1, torch.ones(2))


def test_a_check_fails(miscast):
    miscast.check(nn.Linear(4, 4).half(), torch.randn(2, 4), machine="v100")


def test_a_check_that_ends_early_is_no_pass(miscast):
    def broken():
        raise ValueError("no file")

    miscast.check(broken)
"""


def pytest_in(folder, *args):
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")} | {"PYTHONPATH": SOURCE}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=240)


def outcomes(text):
    words = (line.split(maxsplit=1) for line in text.splitlines() if "::" in line and not line.startswith(" "))
    return {name.split(" - ")[0].strip(): word for word, name in words}


def test_pytest_finds_it():
    (found,) = metadata.entry_points(group="pytest11", name="miscast")
    assert found.value == "miscast.integrations.pytest_plugin"


@pytest.mark.slow
def test_a_suite_on_a_machine_over_processes(tmp_path):
    (tmp_path / "test_suite.py").write_text(textwrap.dedent(SUITE))
    ran = pytest_in(tmp_path, "--miscast=v100", "-n", "2", "-rA", "--strict-markers")
    told = {name.removeprefix("test_suite.py::"): word for name, word in outcomes(ran.stdout).items()}
    passed = {
        "test_clean", "test_parametrized[float]", "test_a_value_decides_nothing", "test_expects_the_error",
        "TestOfUnittest::test_clean", "test_checks_itself",
    }  # fmt: skip
    failed = {
        "test_found", "test_parametrized[half]", "test_found_before_a_value", "TestOfPytest::test_method",
        "TestOfUnittest::test_method",
    }  # fmt: skip
    assert {name for name, word in told.items() if word == "PASSED"} == passed, ran.stdout
    assert {name for name, word in told.items() if word == "FAILED"} == failed, ran.stdout
    assert "5 failed, 6 passed, 3 skipped" in ran.stdout
    assert "FAILED test_suite.py::test_found - Failed: error[operand-dtype-mismatch]" in ran.stdout
    assert "test_suite.py:21" in ran.stdout
    assert "not finished: the program raised Failed: DID NOT RAISE ValueError" in ran.stdout
    assert "dtypes and devices are checked, values are not" in ran.stdout
    assert "test_suite.py::test_a_value_decides_nothing: the program raised AssertionError" in ran.stdout
    assert "Traceback" not in ran.stdout
    assert ".py:21: in test_found" not in ran.stdout


@pytest.mark.slow
def test_marked_and_with_the_fixture(tmp_path):
    (tmp_path / "test_marked.py").write_text(textwrap.dedent(MARKED))
    ran = pytest_in(tmp_path, "-rA", "--strict-markers")
    told = {name.removeprefix("test_marked.py::"): word for name, word in outcomes(ran.stdout).items()}
    assert told == {
        "test_really_too[real]": "PASSED", "test_really_too[v100]": "PASSED", "test_really_too[a100]": "PASSED",
        "test_only_there": "FAILED",
        "test_it_was_real_once": "PASSED",
        "test_the_fixture_has_the_machine[v100]": "PASSED", "test_the_fixture_has_the_machine[cpu]": "PASSED",
        "test_a_check_fails": "FAILED", "test_a_check_that_ends_early_is_no_pass": "FAILED",
    }, ran.stdout  # fmt: skip
    assert "operand-device-mismatch" in ran.stdout
    assert "not finished: the program raised ValueError: no file" in ran.stdout


WRONG = {
    "an unknown machine": (["--miscast=v10"], "", "--miscast: unknown machine 'v10': did you mean v100?"),
    "nothing": (["--miscast="], "", "--miscast: unknown machine ''"),
    "the marker's machine": ([], "machines=['v10']", "unknown machine 'v10'"),
    "the marker's argument": ([], "machine='v100'", "no argument 'machine'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_one_line_for_what_is_wrong(tmp_path, case):
    args, mark, line = WRONG[case]
    (tmp_path / "test_one.py").write_text(
        f"import pytest\n@pytest.mark.miscast({mark})\ndef test_one(): pass\n" if mark else "def test_one(): pass\n"
    )
    ran = pytest_in(tmp_path, "-q", *args)
    assert ran.returncode in (2, 4)
    assert line in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr


def test_a_path_behind_the_option_is_a_path(tmp_path):
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n")
    ran = pytest_in(tmp_path, "--collect-only", "--miscast", "test_one.py")
    assert "1 test collected" in ran.stdout, ran.stdout + ran.stderr
    assert "miscast: tests run on virtual a100 (no machine given)" in ran.stdout
    ran = pytest_in(tmp_path, "--collect-only", "--miscast", "2xv100", "test_one.py")
    assert "miscast: tests run on virtual 2xv100" in ran.stdout, ran.stdout + ran.stderr


def test_where_it_is_off_nothing_is_imported(tmp_path):
    (tmp_path / "test_one.py").write_text(
        "import sys\n\n\ndef test_one():\n"
        "    ours = sorted(name for name in sys.modules if name.startswith('miscast'))\n"
        "    assert ours == ['miscast', 'miscast.integrations', 'miscast.integrations.pytest_plugin']\n"
        "    assert not {'torch', 'rich', 'numpy'} & set(sys.modules)\n"
    )
    ran = pytest_in(tmp_path, "-q")
    assert ran.returncode == 0, ran.stdout + ran.stderr
