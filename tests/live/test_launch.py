"""`miscast run` is `python`, with an explanation behind the traceback: same output, same exit code."""

from __future__ import annotations

import textwrap
from functools import partial

import pytest
import running

pytest.importorskip("torch")
python, miscast_run = partial(running.python, cold=True), partial(running.miscast_run, cold=True)
DIES = "import torch\ntorch.dot(torch.ones(2), torch.ones(2).half())\n"
PROGRAMS = {
    "its face": """\
import atexit, os, sys
print(sys.argv[1:], __name__, __file__, __spec__, sys.path[0], __builtins__.__name__)
atexit.register(print, "at exit")
raise SystemExit(7)
""",
    "a message as exit code": "import sys\nsys.exit('bye')\n",
    "an error": "def f():\n    {}['x']\nf()\n",
    "a syntax error": "def f(:\n    pass\n",
    "an interrupt": "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)\n",
    "an interrupt, with torch": "import torch\nx = torch.zeros(2)\nraise KeyboardInterrupt\n",
    "a signal": "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n",
    "a group": "raise ExceptionGroup('two', [ValueError('a'), ValueError('b')])\n",
    "a hook of its own": "import sys\nsys.excepthook = lambda kind, _, trace: print(kind, trace.tb_lineno)\n1 / 0\n",
    "a hook that leaves": "import sys\nsys.excepthook = lambda *_: sys.exit(5)\n1 / 0\n",
    "errors under the recorder": """\
import torch
try:
    torch.zeros(2).view(3)
finally:
    torch.zeros('x')
""",
    "a child of its own": """\
import multiprocessing
class Sent: pass
def child(queue): queue.put(Sent())
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    print(type(queue.get()).__module__)
    process.join()
""",
    "a stderr that is gone": f"import sys\nsys.stderr = None\n{DIES}",
    "a worker that fails under the recorder": """\
import torch
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return torch.zeros("x")
try:
    list(torch.utils.data.DataLoader(Data(), num_workers=1))
except TypeError as error:
    print(error)
""",
    "shapes": "import torch\ntorch.nn.Linear(3, 3)(torch.ones(2, 4))\n",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_is_as_python_has_it(name, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAMS[name], encoding="utf-8")
    alone = python(tmp_path, "program.py", "--lr", "1", "--", "-m")
    ran = miscast_run(tmp_path, "program.py", "--lr", "1", "--", "-m")
    assert (ran.returncode, ran.stdout, ran.stderr) == (alone.returncode, alone.stdout, alone.stderr)


EXPLAINED = {
    "a script": (DIES, ["program.py"]),
    "a module": (DIES, ["-m", "program"]),
    "a message as exit code": (
        f"import sys\ntry:\n{textwrap.indent(DIES, '    ')}except RuntimeError as error:\n    sys.exit(str(error))\n",
        ["program.py"],
    ),
    "an exit from the error": (
        f"try:\n{textwrap.indent(DIES, '    ')}except RuntimeError as error:\n    raise SystemExit(4) from error\n",
        ["program.py"],
    ),
    "another folder": (f"import os, tempfile\nos.chdir(tempfile.mkdtemp())\n{DIES}", ["program.py"]),
    "a closed stdout": (f"import sys\nsys.stdout.close()\n{DIES}", ["program.py"]),
    "a hook of its own": (f"import sys\nsys.excepthook = lambda *_: sys.stderr.write('A')\n{DIES}", ["program.py"]),
    "a hook that leaves": (f"import sys\nsys.excepthook = lambda *_: sys.exit(5)\n{DIES}", ["program.py"]),
    "in a chain": ("try:\n    1 / 0\nexcept Exception:\n" + textwrap.indent(DIES, "    "), ["program.py"]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPLAINED)
def test_the_explanation_follows_what_python_prints(name, tmp_path):
    source, command = EXPLAINED[name]
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    alone, ran = python(tmp_path, *command), miscast_run(tmp_path, *command)
    assert (ran.returncode, ran.stdout) == (alone.returncode, alone.stdout)
    assert ran.stderr.startswith(alone.stderr + "\ndtype-mismatch  dot mixes float32 `self` with float16 `other`\n")


def test_a_folder_and_a_function(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__main__.py").write_text("import sys\nprint(sys.argv, sys.path[0])\n", encoding="utf-8")
    assert miscast_run(tmp_path, "package", "x").stdout == python(tmp_path, "package", "x").stdout
    (tmp_path / "steps.py").write_text(f"def main():\n    import torch\n    {DIES.splitlines()[1]}\n", encoding="utf-8")
    ran = miscast_run(tmp_path, "steps:main")
    assert ran.returncode == 1
    assert ran.stderr.startswith('Traceback (most recent call last):\n  File "' + str(tmp_path / "steps.py"))
    assert "dtype-mismatch  dot mixes" in ran.stderr


REFUSED = {
    "no target": ([], ("no program given: expected script.py, -m module, or package.module:function; see "
        "'miscast run --help'")),
    "no such file": (["missing.py"], "missing.py: no such file"),
    "a folder of nothing": (["."], ". is a folder without __main__.py"),
    "a notebook": (["x.ipynb"], ("x.ipynb is a notebook: convert it with 'jupyter nbconvert --to script', or use "
        "'miscast check'")),
    "no such output": (["--output", "no/where.json", "x.py"], "cannot write the explanation to no/where.json"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_run_is_one_line_and_2(name, tmp_path):
    command, said = REFUSED[name]
    (tmp_path / "x.ipynb").write_text('{"cells": []}')
    ran = miscast_run(tmp_path, *command)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"miscast: {said}\n")


def test_the_interpreter_may_be_named(tmp_path):
    (tmp_path / "program.py").write_text("import sys\nprint(sys.argv)\n", encoding="utf-8")
    assert miscast_run(tmp_path, "python", "-u", "program.py", "x").stdout == "['program.py', 'x']\n"


ARRIVAL = """\
import sys
assert "torch" not in sys.modules
import torch
assert torch.__spec__.loader is torch.__loader__
print(type(torch.__loader__).__name__, torch.zeros.__name__, hasattr(torch.zeros, "__wrapped__"))
"""


def test_torch_comes_when_the_program_asks_for_it(tmp_path):
    (tmp_path / "program.py").write_text(ARRIVAL, encoding="utf-8")
    assert miscast_run(tmp_path, "program.py").stdout == "SourceFileLoader zeros True\n"


def test_how_to_verify_names_the_program_and_its_arguments(tmp_path):
    (tmp_path / "my program.py").write_text(DIES, encoding="utf-8")
    ran = miscast_run(tmp_path, "my program.py", "--name", "a b", "--lr", "1")
    said = " ".join(ran.stderr.split())
    assert "verify without a GPU: miscast check --machine cpu 'my program.py' --name 'a b' --lr 1 error" in said


def test_the_file_is_where_it_was_asked_for(tmp_path):
    (tmp_path / "program.py").write_text(f"import os\nos.chdir('/')\n{DIES}", encoding="utf-8")
    miscast_run(tmp_path, "--format", "json", "--output", "told.json", "program.py")
    assert '"dtype-mismatch"' in (tmp_path / "told.json").read_text(encoding="utf-8")
