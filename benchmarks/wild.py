"""Run `check` on programs that others wrote: `python benchmarks/wild.py [--only WORD] [--write]`.

    |                                                     | measured | goal       |
    | set-ups (38 scripts)                                | 50       | ≥ 40 (25 scripts) |
    | run to their end                                    | 74.7 %   | ≥ 98 %     |
    | CPU time of `check` ÷ of the real run: median       | 0.72     | ≤ 1.5      |

Scripts that ship inside packages, named in wild/programs.toml, are installed into an environment of their own
(`--cache`), get tiny random models and data (wild/tiny.py), run for real on this CPU, and are checked on five machines.
A script that does not run for real is left out, unless it needs a GPU. `python benchmarks/wild.py --scripts DIR` takes
the scripts of a folder: those in its wild.toml, which is written like programs.toml, or all that have a main part.

Measurements with the same sources of Miscast are kept in the cache and not repeated without `--again`, so a run that
was stopped can continue. `--write` writes the totals to docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import page

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "corpus" / "wild"
MACHINES = ("cpu", "v100", "a100", "h100", "m2")
TORCH = "torch==2.13.0"
BACKENDS = ("setuptools", "wheel", "hatchling", "hatch-vcs", "setuptools_scm", "flit_core", "poetry-core", "uv_build")
# torchvision's wheel declares its operators in a library that does not load beside a torch for the CPU.
OPERATORS = """\
import importlib.abc, sys
class Before(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "torchvision":
            sys.meta_path.remove(self)
            import torch
            for op in ("nms", "qnms"):
                torch.library.define(f"torchvision::{op}", "(Tensor dets, Tensor scores, float limit) -> Tensor")
sys.meta_path.insert(0, Before())
"""
REAL_LIMIT, CHECK_LIMIT = 240, 300
TO_THE_END, SLOWDOWN = 0.98, 1.5


@dataclass(frozen=True, kw_only=True, eq=False)
class Setup:
    """A script with its arguments."""

    name: str
    source: str
    target: tuple[str, ...]
    on_cpu: tuple[str, ...] = ()
    by: str = ""
    machines: tuple[str, ...] = MACHINES
    real: str = ""
    torchvision: bool = False
    count: int = 1
    lay: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    right: Mapping[str, str] = field(default_factory=dict)
    """Words of findings that tell the truth, and why."""

    @property
    def script(self) -> str:
        """The program without its arguments, as scripts are counted."""
        return f"{self.source} {self.name.partition(': ')[0]}"

    @property
    def makes(self) -> list[str]:
        """What tiny.py makes for it."""
        names = re.findall(r"\{([a-z]\w*)\}", " ".join((*self.target, *self.on_cpu, *self.env.values())))
        return sorted(set(names) - {"device"})


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a process took, and how it ended."""

    code: int
    processor: float
    """Seconds, of it and of what it started and waited for."""
    peak: float
    """MiB, of the largest process."""
    error: str
    """The last line on stderr."""
    changed: tuple[str, ...]
    """Files of its working folder, and of its home beside it, that are new, gone or different afterwards."""
    ended: str | None = None
    """Of a check: why it did not come to the program's end."""
    findings: tuple[tuple[str, str], ...] = ()
    """Of a check: what is said, with its rule, and where."""
    ops: int = 0

    @property
    def whole(self) -> bool:
        """The program was checked to its end."""
        return self.code in {0, 1} and self.ended is None


class Workshop:
    """The folder where everything lies that is installed, made and measured."""

    def __init__(self, folder: Path) -> None:
        """Makes the folder, if there is none."""
        self.folder = folder
        self.venv = folder / "venv"
        self.python = self.venv / "bin" / "python"
        self.torchvision = folder / "torchvision"
        self.sources = folder / "sources"
        folder.mkdir(parents=True, exist_ok=True)

    def pip(self, *arguments: str) -> None:
        """Pip of the environment."""
        subprocess.run(
            [str(self.python), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments], check=True
        )

    def install(self, packages: Mapping[str, list[str]]) -> None:
        """Installs and unpacks what the programs need; nothing, if it is what was installed last."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        wanted = json.dumps([packages, project["dependencies"]], indent=1)
        stamp = self.folder / "installed.json"
        if stamp.exists() and stamp.read_text() == wanted:
            return
        if not self.python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(self.venv)], check=True)
        print("installing …", file=sys.stderr)
        self.pip("install", TORCH, *project["dependencies"], *BACKENDS, *packages.get("install", ()))
        if packages.get("alone"):
            self.pip("install", "--no-deps", *packages["alone"])
        self.pip("uninstall", "--yes", "torchvision")
        self.pip("install", "--no-deps", "--upgrade", "--target", str(self.torchvision), *packages["torchvision"])
        (self.torchvision / "sitecustomize.py").write_text(OPERATORS)
        for source in packages.get("sources", ()):
            self.unpack(source)
        stamp.write_text(wanted)

    def unpack(self, requirement: str) -> None:
        """A package's source distribution, unpacked as `sources/NAME`."""
        target = self.sources / requirement
        if target.exists():
            return
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            options = ("--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", name)
            self.pip("download", *options, requirement)
            (archive,) = Path(name).iterdir()
            shutil.unpack_archive(archive, Path(name, "out"), filter="data")
            (top,) = Path(name, "out").iterdir()
            self.sources.mkdir(exist_ok=True)
            top.rename(target)

    def miscast(self) -> Path:
        """Miscast as pip leaves it, with its bytecode: in the box it cannot keep what it compiles."""
        folder = self.folder / f"miscast-{sources_now()}"
        if not folder.exists():
            for old in self.folder.glob("miscast-*"):
                shutil.rmtree(old)
            shutil.copytree(ROOT / "src" / "miscast", folder / "miscast")
            subprocess.run([str(self.python), "-m", "compileall", "-q", str(folder)], check=True)
        return folder

    def made(self, name: str) -> Path:
        """What tiny.py makes under this name."""
        folder = self.folder / f"made-{digest((HERE / 'tiny.py').read_bytes())}" / name
        if not folder.exists():
            subprocess.run([str(self.python), str(HERE / "tiny.py"), name, str(folder)], check=True)
        return folder

    def find(self, setup: Setup) -> list[str]:
        """The target as Python is given it: the file's whole path, or -m and the module."""
        first, *rest = setup.target
        if first == "-m":
            return [*setup.target]
        site = next(self.venv.glob("lib/python*/site-packages"))
        for folder in (self.sources / setup.source, site, Path(setup.source)):
            if (folder / first).exists():
                return [str(folder / first), *rest]
        raise SystemExit(f"{setup.source} has no {first}")


def digest(*parts: bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part)
    return whole.hexdigest()[:12]


def sources_now() -> str:
    """Names the state of Miscast's sources."""
    files = sorted((ROOT / "src" / "miscast").rglob("*"))
    return digest(*(file.read_bytes() for file in files if file.is_file() and file.suffix != ".pyc"))


def tree(folder: Path) -> dict[str, str]:
    """What lies in a folder: each file with its mode, time and content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = digest(path.read_bytes()) if path.is_file() and not path.is_symlink() else ""
        moment = "" if path.is_dir() else about.st_mtime_ns
        found[str(path.relative_to(folder))] = f"{about.st_mode} {moment} {content}"
    return found


def different(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(name for name in sorted({*before, *after}) if before.get(name) != after.get(name))


class Trial:
    """One run of one set-up, in a working folder of its own."""

    def __init__(self, workshop: Workshop, setup: Setup, machine: str) -> None:
        """On a machine by Miscast's name; "cpu" for the real run."""
        self.workshop, self.setup, self.machine = workshop, setup, machine
        self.device = {"cpu": "cpu", "m2": "mps"}.get(machine, "cuda")

    def filled(self, text: str) -> str:
        """An argument with names and device instead of its placeholders."""
        return re.sub(r"\{([a-z]\w*)\}", lambda name: self.device if name[1] == "device" else name[1], text)

    def run(self, *, checked: bool) -> Ran:
        """The program for real, or its check."""
        with self.laid() as (outside, here):
            work = here.parent
            environment = self.environment(work)
            more = self.setup.on_cpu if self.machine == "cpu" else ()
            target = [self.filled(word) for word in (*self.workshop.find(self.setup), *more)]
            report = outside / "report.json"
            if checked:
                several = f"{self.setup.count}x" if self.setup.count > 1 and self.device == "cuda" else ""
                options = ["--machine", several + self.machine, "--format", "json", "--output", str(report)]
                options += ["--time-limit", str(CHECK_LIMIT), "--quiet-program", "--fixes", "0"]
                command = [str(self.workshop.python), "-m", "miscast", "check", *options]
                command += [*shlex.split(self.setup.by), *target]
                path = [str(self.workshop.miscast()), environment.get("PYTHONPATH", "")]
                environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
            else:
                command = [*self.launcher(), *target]
            before = tree(work)
            ran = process(command, here, environment, outside / "stderr", CHECK_LIMIT if checked else REAL_LIMIT)
            changed = different(before, tree(work)) if checked else ()
            return Ran(**ran, changed=changed, **(told(report, ran["error"]) if checked else {}))

    @contextmanager
    def laid(self) -> Iterator[tuple[Path, Path]]:
        """A folder for reports, and the working folder two below it, with the models and data that it finds."""
        with tempfile.TemporaryDirectory(prefix="wild-") as name:
            outside, work = Path(name), Path(name, "work")
            here = work / "here"
            here.mkdir(parents=True)
            for asset, where in (*((asset, asset) for asset in self.setup.makes), *self.setup.lay.items()):
                shutil.copytree(self.workshop.made(asset), here / where, dirs_exist_ok=True)
            (work / "home").mkdir()
            yield outside, here

    def launcher(self) -> list[str]:
        """What starts the program for real: Python, or the launcher of the environment."""
        if not self.setup.by:
            return [str(self.workshop.python)]
        first, *rest = shlex.split(self.setup.by)
        return [str(self.workshop.venv / "bin" / first), *rest]

    def environment(self, work: Path) -> dict[str, str]:
        """The home is in the working folder; one thread, or waiting threads count as the real run's time."""
        mine = {key: os.environ[key] for key in ("PATH", "LANG", "OPENBLAS_CORETYPE") if key in os.environ}
        given = {key: self.filled(value) for key, value in self.setup.env.items()}
        fixed = {"HOME": str(work / "home"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        beside = {"PYTHONPATH": str(self.workshop.torchvision)} if self.setup.torchvision else {}
        return {**mine, **beside, "TMPDIR": str(work.parent), "TOKENIZERS_PARALLELISM": "false", **fixed, **given}


def process(command: list[str], work: Path, environment: dict[str, str], errors: Path, limit: float) -> dict[str, Any]:
    """Runs to its end, or to a limit in seconds; tells code, processor time, peak and last line of stderr."""
    with errors.open("wb") as stream:
        child = subprocess.Popen(
            command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stream,
            start_new_session=True,
        )  # fmt: skip
        timer = threading.Timer(limit + 30, os.killpg, (child.pid, signal.SIGKILL))
        timer.start()
        _, status, used = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    said = [line.strip() for line in errors.read_text(errors="replace").splitlines() if line.strip()]
    return {
        "code": child.returncode,
        "processor": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss / 1024,
        "error": next((line[:300] for line in reversed(said) if "Error" in line), "") if child.returncode else "",
    }


def told(report: Path, error: str) -> dict[str, Any]:
    """What a check's report says."""
    try:
        told = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {"ended": f"no report: {error}"}
    ended = told["ended"] or told["failed"]
    if isinstance(ended, dict):
        ended = ended.get("message") or json.dumps(ended)
    findings = tuple((f"{found['rule']}: {found['message']}", place(found)) for found in told["findings"])
    return {"ended": ended, "findings": findings, "ops": told["ops"]}


def place(finding: Mapping[str, Any]) -> str:
    where = finding.get("location") or {}
    return f"{Path(where.get('file') or '?').name}:{where.get('line')}"


def setups(data: Mapping[str, Any], source: str = "") -> Iterator[Setup]:
    for program in data["program"]:
        what = program.get("file") or program["module"]
        start = (what,) if "file" in program else ("-m", what)
        called = program.get("name", what)
        for name, arguments in program.get("runs", {"": ""}).items():
            yield Setup(
                name=f"{called}: {name}" if name else called,
                source=program.get("from", source),
                target=(*start, *shlex.split(program.get("common", "")), *shlex.split(arguments)),
                on_cpu=tuple(shlex.split(program.get("on_cpu", ""))),
                by=program.get("by", ""),
                machines=tuple(program.get("machines", MACHINES)),
                real=program.get("real", ""),
                torchvision=program.get("torchvision", False),
                count=program.get("count", 1),
                lay=program.get("lay", {}),
                env=program.get("env", {}),
                right={**data.get("right", {}), **program.get("right", {})},
            )


def of_folder(folder: Path) -> list[Setup]:
    """The set-ups of a checkout: those of its wild.toml, or every script with a main part, without arguments."""
    listed = folder / "wild.toml"
    if listed.exists():
        return list(setups(tomllib.loads(listed.read_text(encoding="utf-8")), str(folder)))
    files = [file for file in sorted(folder.rglob("*.py")) if "__main__" in file.read_text(errors="replace")]
    names = [str(file.relative_to(folder)) for file in files]
    return [Setup(name=name, source=str(folder), target=(name,)) for name in names]


class Kept:
    """What was measured, a line each, by what it depends on."""

    def __init__(self, file: Path, *, again: bool) -> None:
        """Reads the file; begins it anew if all is measured again."""
        if again:
            file.unlink(missing_ok=True)
        self.file = file
        self.runs: dict[str, Ran] = {}
        if file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                key, ran = json.loads(line)
                ran["findings"] = tuple((rule, text) for rule, text in ran["findings"])
                self.runs[key] = Ran(**{**ran, "changed": tuple(ran["changed"])})

    def key(self, setup: Setup, machine: str) -> str:
        """Names a run; "real" is the machine of a real one, which does not depend on Miscast."""
        how = [setup.source, setup.target, setup.on_cpu, setup.by, setup.torchvision, setup.count, TORCH]
        how += [dict(setup.env), dict(setup.lay)]
        state = "" if machine == "real" else sources_now()
        return f"{setup.name} {machine} {digest(json.dumps(how).encode(), state.encode())}"

    def get(self, setup: Setup, machine: str) -> Ran | None:
        """The run, if it was measured."""
        return self.runs.get(self.key(setup, machine))

    def add(self, setup: Setup, machine: str, ran: Ran) -> None:
        """Keeps a run at once, so that none is lost."""
        self.runs[self.key(setup, machine)] = ran
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps([self.key(setup, machine), asdict(ran)]) + "\n")


def measure(workshop: Workshop, kept: Kept, setup: Setup, machines: Sequence[str]) -> None:
    """The real run of a set-up, and its checks if it is valid, as far as they are not kept."""
    ran = kept.get(setup, "real")
    if not setup.real and (ran is None or ran.code):
        ran = Trial(workshop, setup, "cpu").run(checked=False)
        kept.add(setup, "real", ran)
        print(f"{setup.name} real: {ran.code}, {ran.processor:.1f} s {ran.error}", flush=True)
    if ran and ran.code:
        return
    for machine in machines:
        if machine in setup.machines and kept.get(setup, machine) is None:
            ran = Trial(workshop, setup, machine).run(checked=True)
            kept.add(setup, machine, ran)
            found = [f"{text} at {where}" for text, where in ran.findings if not right(setup, text)]
            said = "; ".join([*found, *ran.changed])
            end = "to the end" if ran.whole else f"ENDED {ran.ended or ran.error}"
            print(f"{setup.name} {machine}: {end}, {ran.processor:.1f} s {said}", flush=True)


def right(setup: Setup, text: str) -> str:
    """Why a finding is no false alarm, if it is known."""
    return next((why for words, why in setup.right.items() if words in text), "")


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


class Tables:
    """The page's text, of what is kept of the set-ups."""

    def __init__(self, kept: Kept, setups: Sequence[Setup]) -> None:
        """A set-up is valid if it ran for real, or cannot and was checked."""
        self.real = {setup: ran for setup in setups if (ran := kept.get(setup, "real"))}
        self.checks = {
            setup: {machine: ran for machine in setup.machines if (ran := kept.get(setup, machine))}
            for setup in setups
        }
        self.valid = [setup for setup in setups if self.checks[setup]]
        self.invalid = {setup: ran for setup, ran in self.real.items() if ran.code}

    def runs(self) -> list[tuple[Setup, Ran]]:
        """All checks, with their set-ups."""
        return [(setup, ran) for setup in self.valid for ran in self.checks[setup].values()]

    def ratios(self) -> dict[Setup, float]:
        """How much more processor time the check for a CPU takes than the real run."""
        return {
            setup: self.checks[setup]["cpu"].processor / self.real[setup].processor
            for setup in self.valid
            if setup in self.real and "cpu" in self.checks[setup]
        }

    def suspects(self, setup: Setup, ran: Ran) -> list[tuple[str, str]]:
        """The findings that are not known to be right: of a program that works, they may be false alarms."""
        return [found for found in ran.findings if not right(setup, found[0])]

    def totals(self) -> tuple[list[str], bool]:
        """The rows on top, and whether all goals are reached."""
        runs, scripts = self.runs(), len({setup.script for setup in self.valid})
        whole = sum(ran.whole for _, ran in runs)
        silent = sum(not self.suspects(setup, ran) for setup, ran in runs)
        same = sum(not ran.changed for _, ran in runs)
        ratios = sorted(self.ratios().values())
        within = sum(ratio <= SLOWDOWN for ratio in ratios)
        middle = statistics.median(ratios) if ratios else 0
        rows = [
            "|  | measured | goal |",
            "|---|---|---|",
            f"| set-ups ({scripts} scripts) | {len(self.valid)} | ≥ 40 (25 scripts) |",
            f"| checks | {len(runs)} |  |",
            f"| run to their end | {share(whole, len(runs))} | ≥ {100 * TO_THE_END:.0f} % |",
            f"| without a suspected false alarm | {share(silent, len(runs))} | 100 % |",
            f"| working folder unchanged | {share(same, len(runs))} | 100 % |",
            f"| CPU time of `check` ÷ of the real run: median | {middle:.2f} | ≤ {SLOWDOWN} |",
            f"| largest | {max(ratios, default=0):.2f} | ≤ {SLOWDOWN} |",
        ]
        reached = whole >= TO_THE_END * len(runs) and silent == same == len(runs) and within == len(ratios)
        return rows, reached

    def rows(self) -> Iterator[str]:
        """A row for each set-up."""
        yield "| package | script: set-up | real | check | ratio | to the end | suspects | changed |"
        yield "|---|---|---|---|---|---|---|---|"
        ratios = self.ratios()
        for setup in self.valid:
            checks, real = self.checks[setup], self.real.get(setup)
            took = f"{real.processor:.1f} s, {real.peak:.0f} MiB" if real else setup.real
            cpu = checks.get("cpu")
            taken = f"{cpu.processor:.1f} s, {cpu.peak:.0f} MiB" if cpu else ""
            ratio = f"{ratios[setup]:.2f}" if setup in ratios else ""
            ends = f"{sum(ran.whole for ran in checks.values())} of {len(checks)}"
            findings = sum(len(self.suspects(setup, ran)) for ran in checks.values())
            changed = sum(bool(ran.changed) for ran in checks.values())
            cells = (setup.source, setup.name, took, taken, ratio, ends, str(findings or ""), str(changed or ""))
            yield f"| {' | '.join(cells)} |"

    def notes(self) -> Iterator[str]:
        """What did not go as it should, one item each."""
        for setup in self.valid:
            for text, machines in self.told(setup).items():
                yield f"- `{setup.name}` on {', '.join(machines)}: {text}"

    def told(self, setup: Setup) -> dict[str, list[str]]:
        """What is told of a set-up, and on which machines."""
        said: dict[str, list[str]] = {}
        for machine, ran in self.checks[setup].items():
            texts = [] if ran.whole else [f"ended: {oneline(ran.ended or ran.error)}"]
            texts += [f"changed {', '.join(ran.changed[:3])}"] if ran.changed else []
            places: dict[str, list[str]] = {}
            for text, where in self.suspects(setup, ran):
                places.setdefault(text.replace(machine, "it"), []).append(where)
            for text, wheres in places.items():
                more = f" and {len(wheres) - 1} more" if len(wheres) > 1 else ""
                texts.append(f"{oneline(text)} at {wheres[0]}{more}")
            for text in texts:
                said.setdefault(text, []).append(machine)
        return said

    def text(self, *, each: bool = True) -> str:
        """Return all of it; the page has no row for each set-up."""
        head, _ = self.totals()
        how = (
            f"Measured {time.strftime('%Y-%m-%d')} on {os.cpu_count()} cores, Python {sys.version.split()[0]}, {TORCH} "
            f"for the CPU; machines: {', '.join(MACHINES)}. CPU seconds of one run each, one thread."
        )
        parts = [how, "\n".join(head), *(["\n".join(self.rows())] if each else [])]
        if notes := "\n".join(self.notes()):
            parts += ["Stopped early, suspected false alarms, changed files:", notes]
        known = Counter(why for setup, ran in self.runs() for text, _ in ran.findings if (why := right(setup, text)))
        if known:
            parts.append("Correct findings: " + "; ".join(f"{count} × {why}" for why, count in known.most_common()))
        if self.invalid:
            left = [f"- `{setup.name}`: {oneline(ran.error)}" for setup, ran in self.invalid.items()]
            parts += ["Left out, because they do not run for real either:", "\n".join(left)]
        return "\n\n".join(parts)


def oneline(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "\\<").split())[:220]


def main() -> int:
    """Measure, print the tables; 1 if a goal is not reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "miscast" / "wild"
    parser.add_argument("--cache", type=Path, default=cache)
    parser.add_argument("--only", default="", metavar="WORD", help="set-ups with this in package, name or arguments")
    parser.add_argument("--machines", default=",".join(MACHINES), metavar="M,M")
    parser.add_argument("--scripts", type=Path, metavar="DIR", help="the scripts of a checkout instead")
    parser.add_argument("--again", action="store_true", help="measure again what is kept")
    parser.add_argument("--kept", action="store_true", help="measure nothing")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    data = tomllib.loads((HERE / "programs.toml").read_text(encoding="utf-8"))
    workshop = Workshop(options.cache.resolve())
    found = of_folder(options.scripts.resolve()) if options.scripts else list(setups(data))
    chosen = [setup for setup in found if options.only in f"{setup.source} {setup.name} {' '.join(setup.target)}"]
    kept = Kept(workshop.folder / "measured.jsonl", again=options.again)
    if not options.kept:
        workshop.install(data["packages"])
        for setup in chosen:
            measure(workshop, kept, setup, options.machines.split(","))
    tables = Tables(kept, chosen)
    print(tables.text())
    if options.write:
        page.write("make bench-wild", tables.text(each=False))
    return int(not tables.totals()[1])


if __name__ == "__main__":
    sys.exit(main())
