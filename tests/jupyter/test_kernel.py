"""A notebook in a real kernel: what `%%miscast` shows, by which lines, and that nothing of the kernel's changes."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import miscast

pytestmark = pytest.mark.slow  # a kernel, and torch in it
SOURCE = str(Path(miscast.__file__).parents[1])
CELLS = [
    f"""import sys, os
sys.path.insert(0, {SOURCE!r})
%load_ext miscast
import torch
torch.manual_seed(0)""",
    """model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
history = []

def step(x):
    return model(x)""",
    """%%miscast check --machine v100
print('within')
half = torch.ones(2, 4).half()
history.append(1)
out = step(half)""",
    """%%miscast check --machine v100
loss = model(torch.ones(2, 4)).sum()
loss.backward()
optimizer.step()
os.environ['X_FROM_CELL'] = '1'
open('made.txt', 'w').write('x')
model.half()
new = 3""",
    """print(history, 'half' in globals(), 'new' in globals(), model.weight.dtype, model.weight.grad,
      'X_FROM_CELL' in os.environ, os.path.exists('made.txt'), torch.rand(1).item() < 1,
      torch.initial_seed(), type(model.weight.untyped_storage()).__name__, model.weight.device)""",
    "%miscast check --machine v100 step(torch.ones(2, 4, dtype=torch.float64))",
    "%%miscast check\nx = (",
    "%miscast chek x",
    "%miscast check --machine nosuch x",
    "%miscast check",
    "torch.mm(torch.ones(2, 2), torch.ones(2, 2).half())",
    "%miscast explain",
    "%%miscast check --machine v100\n!echo never\nawait __import__('asyncio').sleep(0)\nraise KeyError('x')",
]
REFUSED = {6, 7, 8, 9}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """By cell: its text, what it shows as HTML, and its error."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    folder = tmp_path_factory.mktemp("book")
    client = NotebookClient(
        book, timeout=120, kernel_name="python3", allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return [_told(cell.outputs) for cell in book.cells]


def _told(shown):
    text = "".join(one.get("text", "") or one.get("data", {}).get("text/plain", "") for one in shown)
    html = "".join(one.get("data", {}).get("text/html", "") for one in shown)
    errors = [f"{one['ename']}: {one['evalue']}" for one in shown if one["output_type"] == "error"]
    return text, html, "".join(errors)


def test_a_cell_is_checked_by_its_own_lines(outputs):
    text, html, error = outputs[2]
    assert error == ""
    assert text.startswith("within\n")
    assert "linear mixes float16 `input` with float32 `weight`" in text
    # the line of the cell before, whose function failed, and of this one, where the tensor was born
    assert "In [2], line 6" in text
    assert "In [3], line 3" in text
    assert "ipykernel" not in text
    assert '<div class="miscast inside">' in html
    assert "half = torch.ones(2, 4).half()" in html
    assert "<script" not in html


def test_what_a_checked_cell_does_is_gone(outputs):
    assert outputs[3][2] == ""
    text = outputs[4][0]
    assert text.split()[:5] == ["[]", "False", "False", "torch.float32", "None"]
    assert text.split()[5:] == ["False", "False", "True", "0", "UntypedStorage", "cpu"]


def test_an_expression_is_checked(outputs):
    text, html, error = outputs[5]
    assert error == ""
    assert "linear mixes float64 `input` with float32 `weight`" in text
    assert "In [6], line 1" in text
    assert "mismatch" in html


def test_what_cannot_be_is_one_line(outputs):
    errors = [outputs[number][2] or outputs[number][0] for number in sorted(REFUSED)]
    assert re.search(r"In \[7\], line \d: ", errors[0])
    assert "expected check, explain, lint" in errors[1]
    assert "nosuch" in errors[2]
    assert "nothing to check" in errors[3]


def test_the_last_exception_is_explained(outputs):
    assert "RuntimeError" in outputs[10][2]
    text, html, _ = outputs[11]
    assert "mixes float32" in text
    assert "mixes float32" in html
    assert "In [11]:1" in text
    assert "%%miscast check --machine" in text
    assert not re.search(r"\d+\.py", text)


def test_magics_within_do_not_run_and_what_ends_a_cell_is_told(outputs):
    text, html, error = outputs[12]
    assert error == ""
    assert "the program raised KeyError" in html
    assert "IPython commands of the cell were not run: !echo never" in html
    assert not text.startswith("never")
