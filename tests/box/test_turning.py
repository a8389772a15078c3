"""A program that a placeholder's truth ends is run with the opposite, before it counts as not finished."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

import warm
from command import miscast_in

LAST = "torch.nn.Linear(5, 4).double()(torch.ones(5))"
PROGRAMS = {
    "a verdict over several": """
        class Verdict:
            ok = True

            def same(self, a, b):
                self.ok &= torch.equal(a, b)
                return self

            def differ(self, a, b):
                self.ok &= not torch.equal(a, b)
                return self

        weights = torch.randn(300, 300)
        if not Verdict().same(weights, weights.clone()).differ(weights, torch.randn(300, 300)).ok:
            raise ValueError("inconsistent")
        """,
    "codes that are summed up": """
        a = torch.randn(300, 300)
        codes = [int(torch.allclose(a, torch.randn(300, 300)))]
        codes.append(int((a > 0).all()))
        if sum(codes):
            raise SystemExit(3)
        """,
    "layers that did not change": """
        import sys

        layers = {f"l{i}": torch.randn(300, 300) for i in range(3)}
        other = {k: v + torch.randn(300, 300) for k, v in layers.items()}
        if unchanged := [k for k in layers if torch.equal(layers[k], other[k])]:
            sys.exit(len(unchanged))
        """,
    "shards that are equal": """
        from itertools import combinations

        shards = [torch.randn(300, 300) for _ in range(3)]
        assert sum(torch.equal(a, b) for a, b in combinations(shards, 2)) == 0
        """,
    "a kind that is looked up": """
        kinds = {False: "general"}
        cell = torch.rand(300, 300)
        symmetric = bool((cell == cell.T).all())
        if symmetric not in kinds:
            raise NotImplementedError(symmetric)
        solver = kinds[torch.allclose(cell, torch.eye(300))]
        """,
    "two checks in a row": """
        a, b = torch.randn(300, 300), torch.randn(300, 300)
        flags = [torch.equal(a, b)]
        if True in flags:
            raise ValueError("the same weights")
        flags.append(torch.isclose(a, b).all().item())
        if any(flags):
            raise ValueError("nearly the same weights")
        """,
}


def _script(folder: Path, source: str) -> Path:
    script = folder / "program.py"
    script.write_text(f"import torch\n{textwrap.dedent(source)}{LAST}\n", encoding="utf-8")
    return script


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_run_goes_on_as_the_real_one(name, tmp_path):
    script = _script(tmp_path, PROGRAMS[name])
    real = warm.python(script.name, folder=tmp_path)
    assert real.stderr.rstrip().endswith("must have the same dtype, but got Float and Double")
    done = miscast_in(tmp_path, "check", "--machine", "cpu", "--format", "json", script.name)
    report = json.loads(done.stdout)
    assert (done.returncode, report["ended"]) == (1, None), done.stderr
    assert [f["location"]["code"] for f in report["findings"]] == [LAST]
    assert any("it went on with the opposite at program.py:" in note for note in report["notes"])


@pytest.mark.parametrize(
    ("source", "tried"),
    [
        ("flags = [torch.equal(torch.randn(300, 300), torch.randn(300, 300))]\nraise ValueError(flags)\n", True),
        ("flags = [torch.equal(torch.ones(3), torch.ones(3))]\nraise ValueError(flags)\n", False),
    ],
)
def test_an_end_that_no_placeholder_decides_stays(source, tried, tmp_path):
    done = miscast_in(tmp_path, "check", "--machine", "cpu", "--verbose", _script(tmp_path, source).name)
    assert done.returncode == 2
    assert "not finished: the program raised ValueError" in done.stdout
    assert ("opposite of placeholder" in done.stdout) is tried
