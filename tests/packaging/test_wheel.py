"""What `pip install` gives: a wheel and a source distribution, in an environment that has nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half\n"

pytestmark = pytest.mark.slow


def _run(*words, **kwargs):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, timeout=280, **kwargs)
    assert done.returncode in (0, 1, 2), done.stderr
    return done


def _pythons():
    """Those of the supported versions that are here, beside the one that runs the tests."""
    for minor in range(10, 14):
        found = shutil.which(f"python3.{minor}")
        here = minor == sys.version_info.minor
        # pyenv has a name for each, also for those that are not to be used here
        if here or (found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0):
            yield sys.executable if here else found


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The two distributions."""
    to = tmp_path_factory.mktemp("dist")
    done = _run(sys.executable, "-m", "hatchling", "build", "-d", to, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return {file.suffix: file for file in to.iterdir()}


def _names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_wheel_has_every_file_of_the_package(built):
    listed = _run("git", "ls-files", "src/miscast", cwd=ROOT).stdout.split()
    made = "src/miscast/explanation/literals.json"  # by the build
    assert _names(built[".whl"]) == {name.removeprefix("src/") for name in [*listed, made]}


def test_the_source_distribution_makes_the_same_wheel(built, tmp_path):
    shutil.unpack_archive(built[".gz"], tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()
    assert _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=source).returncode == 0
    (again,) = tmp_path.glob("*.whl")
    assert _names(again) == _names(built[".whl"])


@pytest.mark.parametrize("python", _pythons(), ids=lambda path: Path(path).name)
def test_every_command_works_without_anything_else(python, built, tmp_path):
    assert _run(python, "-m", "venv", tmp_path / "env").returncode == 0
    there = tmp_path / "env" / "bin"
    constraints = ROOT / "constraints.txt"
    installed = _run(there / "pip", "install", "-q", "--constraint", constraints, built[".whl"])
    if "No matching distribution" in installed.stderr or "Connection" in installed.stderr:
        pytest.skip("packages cannot be fetched here")
    assert installed.returncode == 0, installed.stderr

    def told(*words, text=None):
        return _run(there / "miscast", *words, cwd=tmp_path, input=text)

    shutil.copytree(ROOT / "examples" / "settings", tmp_path / "settings")
    assert told("--version").stdout.startswith("miscast ")
    assert "a100" in told("machines").stdout
    assert "linear" in told("explain", "-", text=TEXT).stdout
    assert "engine-contradicts-launcher" in told("lint", "settings").stdout
    assert "<!doctype html>" in told("lint", "--format", "html", "settings").stdout.lower()
    assert '"2.1.0"' in told("lint", "--format", "sarif", "settings").stdout
    (tmp_path / "train.py").write_text("import torch\n", encoding="utf-8")
    for words in (("check",), ("fix",), ("run",), ("plan", "--machine", "a100"), ("matrix",)):
        done = told(*words, "train.py")
        assert done.returncode != 0
        assert "torch" in done.stderr, words
        assert "Traceback" not in done.stderr or words == ("run",)
