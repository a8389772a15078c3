"""Write src/miscast/explanation/module_lines.json: in which lines of torch/nn/modules the modules of one file run.

python docs/module_lines.py              add the installed torch to what is written there
python docs/module_lines.py FOLDER …     add these: folders that hold a `torch` package, or wheels of it

A traceback names file, line and function, not the class; of "conv.py, line 310, in forward" only the line tells which
convolution it was. Each version of torch has lines of its own, so each is kept, by its minor version; which of them a
traceback is of is told by the lines of `Module.__call__` in module.py, that stand above.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from miscast.core.ops import by

PAGE = Path(__file__).parents[1] / "src/miscast/explanation/module_lines.json"
FILES = ("conv.py", "loss.py", "normalization.py", "rnn.py")
RARE = ("RNNCell",)
"""Hardly used, and where other versions have LSTMCell."""
OPS = re.compile(r"(?:F|_VF)\.|self\.(?:_conv_)?forward")
Lines = dict[str, dict[str, tuple[int, int]]]


def lines_of(read: Callable[[str], str]) -> tuple[str, Lines]:
    """The minor version of a torch, and by file and class the first and last line of a module's calls."""
    version = next(line for line in read("torch/version.py").splitlines() if line.startswith("__version__ ="))
    major, minor = version.split("'")[1].split(".")[:2]
    modules = {file: ast.parse(read(f"torch/nn/modules/{file}")) for file in (*FILES, "module.py")}
    callers = methods(modules["module.py"], "Module", "_call_")
    called = {part.name: (part.lineno, part.end_lineno or 0) for part in callers}
    return f"{major}.{minor}", {"module.py": called, **{file: classes(modules[file]) for file in FILES}}


def classes(module: ast.Module) -> dict[str, tuple[int, int]]:
    """Each class that is an op, with the first and the last line of the calls that its `forward` and its parts make."""
    names = [name for name in by(lambda op: op.modules) if name not in RARE]
    found = {name: [call for part in methods(module, name, "forward") for call in calls(part)] for name in names}
    return {name: (made[0].lineno, max(call.end_lineno or 0 for call in made)) for name, made in found.items() if made}


def calls(part: ast.FunctionDef) -> list[ast.Call]:
    """The calls of ops and of other parts of `forward`, from the top; not those that look at sizes or make zeros."""
    made = [node for node in ast.walk(part) if isinstance(node, ast.Call) and OPS.match(ast.unparse(node.func))]
    return sorted(made, key=lambda call: call.lineno)


def methods(module: ast.Module, owner: str, word: str) -> list[ast.FunctionDef]:
    """The methods of a class with a word in their names, from the top."""
    bodies = (node.body for node in module.body if isinstance(node, ast.ClassDef) and node.name == owner)
    return [part for body in bodies for part in body if isinstance(part, ast.FunctionDef) and word in part.name]


def reader(source: Path) -> Callable[[str], str]:
    """What reads a file of a folder or of a wheel."""
    if source.is_dir():
        return lambda name: (source / name).read_text("utf-8")
    wheel = zipfile.ZipFile(source)
    return lambda name: wheel.read(name).decode()


def main() -> None:
    """Add versions to the page, the oldest first."""
    installed = find_spec("torch")
    sources = [Path(name) for name in sys.argv[1:]] or [Path(str(installed and installed.origin)).parents[1]]
    known: dict[str, Lines] = json.loads(PAGE.read_text("utf-8")) if PAGE.exists() else {}
    known |= dict(lines_of(reader(source)) for source in sources)
    ordered = sorted(known, key=lambda version: tuple(map(int, version.split("."))))
    rows = (f"{json.dumps(version)}: {json.dumps(known[version])}" for version in ordered)
    PAGE.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
