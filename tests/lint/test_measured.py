"""The table of effective precision says what the real libraries were seen to do: benchmarks/settings.py has run them."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

SETTINGS = Path(__file__).parents[2] / "benchmarks" / "settings"
sys.path.insert(0, str(SETTINGS))

# ruff: noqa: E402 - imports follow the path
from comparison import compared, laid, predicted
from evidence import written

from miscast.lint.measured import FOLDER, of

FAMILIES = sorted(file.stem for file in (SETTINGS / "measured").glob("*.json"))


@pytest.mark.parametrize("family", FAMILIES)
def test_what_was_seen_is_what_is_said(family, tmp_path):
    grid = {one.name: one for one in importlib.import_module(family).grid()}
    measured = json.loads((SETTINGS / "measured" / f"{family}.json").read_text(encoding="utf-8"))["seen"]
    assert measured
    wrong = []
    for index, (name, seen) in enumerate(measured.items()):
        folder = tmp_path / str(index)
        folder.mkdir()
        laid(grid[name], folder)
        said = predicted(grid[name], folder)
        if bool(said["errors"]) != bool(seen["errors"]):
            wrong.append(f"{name}: said {said['errors']}, seen {seen['errors']}")
        wrong += [f"{name}: {line}" for line in compared(said["cells"], seen["cells"])["differ"] if not seen["errors"]]
    assert wrong == []


def test_the_evidence_that_is_shipped_is_what_was_seen():
    shipped = {file.stem: file.read_text(encoding="utf-8") for file in Path(FOLDER).glob("*")}
    assert shipped == written(), "python benchmarks/settings/evidence.py writes it anew"


def test_a_system_that_was_run_names_what_with():
    for family in FAMILIES:
        measured = of(SYSTEMS[family])
        assert measured is not None
        assert measured_on(family) in measured.versions


def measured_on(family):
    versions = json.loads((SETTINGS / "measured" / f"{family}.json").read_text(encoding="utf-8"))["versions"]
    return ", ".join(f"{package} {version}" for package, version in versions.items())


SYSTEMS = {
    "by_accelerate": "accelerate", "by_automodel": "automodel", "by_axolotl": "axolotl",
    "by_deepspeed": "deepspeed", "by_diffusers": "diffusers",
    "by_kohya": "kohya", "by_lightning": "lightning", "by_llamafactory": "llamafactory", "by_onetrainer": "onetrainer",
    "by_simpletuner": "simpletuner",
    "by_torchtitan": "torchtitan", "by_torchtitan_toml": "torchtitan", "by_torchtune": "torchtune", "by_trl": "trl",
    "trainer": "transformers",
}  # fmt: skip
