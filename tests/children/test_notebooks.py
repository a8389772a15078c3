"""A notebook is one program, cell by cell; the kernel that a program starts for one is on the machine, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command import miscast_in

FIRST = """\
%matplotlib inline
!pip install \\
    einops
files = !ls
import torch
assert files == []
net = torch.nn.Linear(4, 2).cuda()"""
SECOND = """\
%%time
x = torch.ones(1, 4).cuda().half()
print('%d'
    % 3)
if True:
    %time
net(x)
net?"""
THIRD = "import asyncio, pickle\nawait asyncio.sleep(0)\nclass A: pass\ndisplay(pickle.loads(pickle.dumps(A())))"
LAST = "raise ValueError('mine')"


def checked(folder: Path, *cells: str, **metadata: Any) -> dict[str, Any]:
    """The report of a check of a notebook with these cells."""
    texts = [{"cell_type": "markdown", "source": "# hello"}]
    texts += [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    (folder / "train.ipynb").write_text(json.dumps({"cells": texts, "metadata": metadata, "nbformat": 4}))
    done = miscast_in(folder, "check", "--machine", "a100", "--format", "json", "train.ipynb")
    return json.loads(done.stdout) if done.stdout else {"refused": done.stderr}


def test_its_cells_run_in_order(tmp_path: Path) -> None:
    report = checked(tmp_path, FIRST, "  ", "%%bash\nls $HOME", SECOND, THIRD, LAST)
    (finding,) = report["findings"]
    assert (finding["location"]["file"], finding["location"]["line"]) == ("train.ipynb[3]", 7)
    assert finding["location"]["code"] == "net(x)"
    assert report["ended"].endswith("ValueError: mine at train.ipynb[5]:1")
    assert "IPython commands of the notebook were not run: %matplotlib inline and 6 more" in report["notes"]


def test_what_is_no_python_ends_it(tmp_path: Path) -> None:
    assert "SyntaxError" in checked(tmp_path, "import torch\nx = (")["ended"]


def test_of_another_language_one_line_says_so(tmp_path: Path) -> None:
    report = checked(tmp_path, "library(torch)", kernelspec={"language": "R"})
    assert "is a notebook for R, not for Python" in report["refused"]


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    book = json.dumps({"cells": [{"cell_type": "code", "source": "print(7)"}]})
    (tmp_path / "x.ipynb").write_text(book, encoding="utf-8-sig")
    done = miscast_in(tmp_path, "check", "--machine", "a100", "x.ipynb")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "7")


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").write_text("{}")
    done = miscast_in(tmp_path, "check", "--machine", "a100", "x.ipynb")
    assert done.returncode == 2
    assert "x.ipynb is not a notebook: its JSON has no cells" in done.stderr


KERNEL = """
import nbformat
from nbclient import NotebookClient

book = nbformat.v4.new_notebook(cells=[
    nbformat.v4.new_code_cell("import torch\\nnet = torch.nn.Linear(4, 2).cuda().half()"),
    nbformat.v4.new_code_cell("y = net(torch.ones(1, 4).cuda())\\nprint(y.dtype)"),
])
NotebookClient(book, kernel_name="python3").execute()
assert book.cells[1].outputs[0]["text"] == "torch.float16\\n", book
"""


def test_a_kernel_is_followed(tmp_path: Path) -> None:
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    (tmp_path / "run.py").write_text(KERNEL)
    done = miscast_in(tmp_path, "check", "--machine", "a100", "--format", "json", "run.py")
    report = json.loads(done.stdout)
    assert report["ended"] is None, done.stderr
    (finding,) = report["findings"]
    assert (finding["location"]["file"], finding["location"]["line"]) == ("In[2]", 1)


STARTS = """
import subprocess
import sys
import torch

subprocess.run([sys.executable, "-c", "import torch; torch.ones(2)"], check=True)
subprocess.run([sys.executable, "-c", "print('hello')"], check=True)
subprocess.run([sys.executable, "-m", "json.tool", "--help"], check=True, capture_output=True)
subprocess.run(["true"], check=True)
"""


def test_what_is_started_beside_the_machine_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(STARTS)
    done = miscast_in(tmp_path, "check", "--machine", "a100", "--format", "json", "run.py")
    named = [note for note in json.loads(done.stdout)["notes"] if note.startswith("a subprocess was not checked: ")]
    assert [note.split("python", 1)[1].split(" ", 1)[1] for note in named] == ["-c 'import torch; torch.ones(2)'"]
