"""The Python that the pages show runs as it stands; what needs other packages calls what is there, as it is there."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import inspect
import sys
from operator import attrgetter
from pathlib import Path

import pytest

import miscast
from sweep import sweep

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import blocks  # noqa: E402

SHOWN = [
    (page.relative_to(ROOT).as_posix(), block)
    for page in blocks.PAGES
    for block in blocks.blocks(page)
    if block.language == "python" and not block.file
]
PAGES = sorted({page for page, _ in SHOWN})
GIVEN = {
    "README.md": """
import miscast, torch
model, batch = torch.nn.Linear(4, 4), torch.randn(2, 4)
def train_step(model, batch):
    model(batch).sum().backward()
""",
    "docs/guard.md": """
import miscast, torch
model, criterion = torch.nn.Linear(4, 4), torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
loader = [(torch.randn(2, 4), torch.randn(2, 4))] * 2
""",
    "docs/policy.md": """
import miscast, torch
from miscast import Policy
pipeline, batch = torch.nn.ModuleDict({"unet": torch.nn.Linear(4, 4)}), {"x": torch.randn(2, 4)}
""",
    "docs/recipes/vqa_multi_gpu.md": """
import torch
from types import SimpleNamespace
image, args = torch.zeros(1), SimpleNamespace(bf16=False)
""",
}
"""What a page takes for granted, ahead of its first block."""
FOUND = {"README.md": ["operand-dtype-mismatch"], "docs/index.md": ["operand-dtype-mismatch"]}
"""The pages that show a mistake."""
OTHERS = "miscast.integrations"


def _run(page):
    """What a page's blocks came to on a virtual machine, one after the other in one namespace."""
    names = {"__name__": "__main__"}
    exec(GIVEN.get(page, ""), names)
    for block in (block for one, block in SHOWN if one == page and OTHERS not in block.text):
        if block.text.startswith(">>>"):
            example = doctest.DocTestParser().get_doctest(block.text, names, page, page, block.line)
            assert doctest.DocTestRunner(verbose=False).run(example).failed == 0
            continue
        code = compile("\n" * (block.line - 1) + block.text, page, "exec", dont_inherit=True)
        if "miscast.check(" in block.text:  # checks do not nest
            exec(code, names)
        else:
            yield miscast.check(exec, code, names, machine="a100")


@pytest.mark.parametrize("page", PAGES)
def test_it_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reports = list(_run(page))
    assert [(report.ended, report.failed) for report in reports] == [(None, None)] * len(reports)
    assert [finding.rule for report in reports for finding in report.causes] == FOUND.get(page, [])


def _statically(module, name):
    """The signature of a module's function or class, which is not imported: its tool may not be here."""
    spec = importlib.util.find_spec(module)
    assert spec is not None, f"there is no {module}"
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    (made,) = (one for one in tree.body if getattr(one, "name", "") == name)
    if isinstance(made, ast.ClassDef):
        (made,) = (one for one in made.body if getattr(one, "name", "") == "__init__")
    taken = made.args
    for arg in (*taken.args, *taken.kwonlyargs):
        arg.annotation = None
    nothing = ast.Constant(None)
    taken.defaults, taken.kw_defaults = (
        [nothing] * len(taken.defaults),
        [one and nothing for one in taken.kw_defaults],
    )
    if taken.args and taken.args[0].arg == "self":
        del taken.args[0]
    code = ast.fix_missing_locations(ast.Expression(ast.Lambda(taken, nothing)))
    return inspect.signature(eval(compile(code, module, "eval")))


def _calls(tree):
    """Each call of something of Miscast's: its module, its name and the call."""
    imported = {
        alias.asname or alias.name: (one.module, alias.name)
        for one in ast.walk(tree)
        if isinstance(one, ast.ImportFrom) and one.module.startswith("miscast")
        for alias in one.names
    }
    for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
        called = ast.unparse(call.func)
        if called.startswith("miscast."):
            *module, name = called.split(".")
            yield ".".join(module), name, call
        elif called in imported:
            yield *imported[called], call


CALLS = [
    (f"{page}:{ast.unparse(call)}", module, name, call)
    for page, block in SHOWN
    if not block.text.startswith(">>>")
    for module, name, call in _calls(ast.parse(block.text))
]


@sweep(("module", "name", "call"), [call for _, *call in CALLS], ids=[where for where, *_ in CALLS])
def test_what_it_calls_is_there_and_takes_that(module, name, call):
    if module.startswith(OTHERS):
        taken = _statically(module, name)
    else:
        taken = inspect.signature(attrgetter(f"{module}.{name}".removeprefix("miscast."))(miscast))
    taken.bind(*call.args, **{one.arg: one.value for one in call.keywords})


def test_there_is_python():
    assert len(CALLS) > 10
    assert {*GIVEN} <= {*PAGES}
