"""The scripts of other packages that `benchmarks/wild.py` installs: one set-up of each that is started as a file.

What lies in an environment is a library's, and no path of it is forced; each is copied, as who begins with it would.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from injury.child import ChildError
from wild import HERE, Setup, Trial, Workshop, setups, tomllib

BENCHMARKS = Path(__file__).resolve().parents[1]
MACHINE = "a100"
LIMIT = 300  # seconds
Run = Callable[[float, Path | None], dict[str, Any]]


def official(cache: Path) -> Iterator[tuple[str, Path, Run]]:
    """Each with its name, its file, and what checks it."""
    data = tomllib.loads((HERE / "programs.toml").read_text(encoding="utf-8"))
    workshop = Workshop(cache)
    workshop.install(data["packages"])
    seen: set[str] = set()
    for setup in setups(data):
        if setup.script in seen or setup.target[0] == "-m" or setup.by or setup.count > 1:
            continue
        seen.add(setup.script)
        script, *_ = workshop.find(setup)
        copy = cache / "copied" / setup.source / setup.target[0]
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(script, copy)
        for beside in Path(script).parent.glob("*.py") if "examples" in copy.parts else ():
            shutil.copy(beside, copy.parent)
        yield setup.script.replace(" ", "/"), copy, partial(_run, workshop, setup, copy)


def _run(workshop: Workshop, setup: Setup, script: Path, reach: float, log: Path | None) -> dict[str, Any]:
    trial = Trial(workshop, setup, MACHINE)
    with trial.laid() as (outside, here):
        out = outside / "found.json"
        args = [trial.filled(word) for word in setup.target[1:]]
        environment = trial.environment(here.parent)
        path = (str(BENCHMARKS), str(workshop.miscast()), environment.get("PYTHONPATH", ""))
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
        words = (str(script), MACHINE, str(reach), str(log or ""), str(out), *args)
        try:
            subprocess.run(
                [str(workshop.python), "-m", "reaching.checked", *words], cwd=here, env=environment, timeout=LIMIT,
                check=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ChildError(f"it took more than {LIMIT} s") from None
        except subprocess.CalledProcessError as error:
            raise ChildError(error.stderr[-2000:]) from None
        return dict(json.loads(out.read_text(encoding="utf-8")))
