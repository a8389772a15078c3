"""The face of the package: its names, and what importing it costs."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import miscast

NAMES = [
    "Assumption", "CannotRunError", "Edit", "Event", "Finding", "Fix", "Location",
    "MismatchError", "Operand", "Policy", "PolicyError", "RankedCause", "Related", "Report", "TensorMeta",
    "Trip", "TrippedError", "UnknownMachineError", "__version__", "apply", "cast", "check", "check_program", "expect",
    "explain", "guard", "shadow",
]  # fmt: skip


def test_docstrings_say_what_to_expect():
    """They begin with a verb or a noun: ruff's D401 sees the verbs of functions, this all others."""
    relative = ("What", "Whether", "Those", "Whose", "Of")
    found = [
        f"{file.name}: {text[:60]}"
        for file in Path(miscast.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and (text := ast.get_docstring(node) or "").startswith(tuple(f"{word} " for word in relative))
    ]
    assert found == []


def test_the_public_names():
    assert sorted(miscast.__all__) == NAMES
    assert dir(miscast) == NAMES
    for name in NAMES:
        assert getattr(miscast, name) is not None


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'miscast' has no attribute 'nothing'"):
        miscast.nothing  # noqa: B018


def _python(code):
    env = os.environ | {"PYTHONPATH": str(Path(miscast.__file__).parents[1])}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


WITHOUT_TORCH = {
    "the package": "import miscast",
    "every name": "import miscast; [getattr(miscast, name) for name in miscast.__all__]",
    "the rules' pages": "from miscast.cli import main; main(['rules', 'operand-dtype-mismatch'])",
    "the machines": "from miscast.cli import main; main(['machines'])",
    "a refusal": "from miscast.cli import main; main(['check', '--machine', 'nothing', 'x.py'])",
    "reading a report": "from miscast.report import json, reading\n"
    "print(reading.loads(json.render(__import__('miscast').Report(machine='cpu', torch='2.13.0'))))",
}


@pytest.mark.parametrize("case", WITHOUT_TORCH)
def test_torch_is_not_imported(case):
    code = f"import sys\nsys.modules['torch'] = None\n{WITHOUT_TORCH[case]}\n"
    _python(code)


def test_importing_imports_nothing_else():
    code = "import sys; before = set(sys.modules); import miscast; print(*sorted(set(sys.modules) - before))"
    assert _python(code).split() == ["__future__", "miscast"]


@pytest.mark.parametrize("command", ["rules", "machines"])
def test_the_command_line_starts_without_what_takes_long_to_import(command):
    code = f"import sys; from miscast.cli import main; main(['{command}']); print('\\n', *sys.modules)"
    loaded = set(_python(code).rpartition("\n ")[2].split())
    assert not loaded & {"torch", "numpy", "rich", "yaml", "tree_sitter", "libcst", "asyncio"}
