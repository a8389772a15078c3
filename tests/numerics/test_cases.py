"""The cases of benchmarks/numerics are what they say: the faulty form does harm, the right form does not."""

import math
import sys
from collections import Counter
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
try:
    from numerics.case import RIGHT, cases, read
finally:
    sys.path.remove(str(BENCHMARKS))

CASES = {case.name: case for case in cases()}


def run(source: str, name: str) -> dict[str, object]:
    namespace: dict[str, object] = {"__name__": "__main__"}
    exec(compile(source, name, "exec"), namespace)
    return namespace


@pytest.mark.parametrize("name", CASES)
def test_only_the_faulty_form_does_harm(name):
    case = CASES[name]
    faulty, right = run(case.faulty, name)["harm"](), run(case.right, name)["harm"]()
    assert math.isfinite(right)
    # nan is all the harm that there is
    assert math.isnan(faulty) or faulty > max(0.004, 5 * right)


@pytest.mark.parametrize("file", sorted(RIGHT.glob("*.py")), ids=lambda file: file.stem)
def test_what_is_done_on_purpose_runs(file):
    run(file.read_text(), file.name)


def test_every_kind_has_several_cases():
    kinds = Counter(case.kind for case in CASES.values())
    assert len(kinds) == 15
    assert min(kinds.values()) >= 3
    assert len(CASES) >= 40


def test_a_file_that_marks_no_line_is_refused(tmp_path):
    file = tmp_path / "unmarked.py"
    file.write_text("a = 1\n\n# right:\n#- a = 1\n#+ a = 2\n")
    with pytest.raises(ValueError, match=r"unmarked\.py: one line says"):
        read(file)


def test_lines_that_do_not_stand_in_the_program_are_refused(tmp_path):
    file = tmp_path / "astray.py"
    file.write_text("a = 1  # fault: wrap\n\n# right:\n#- b = 1\n#+ b = 2\n")
    with pytest.raises(ValueError, match="stand in the program 0 times"):
        read(file)


def test_random_numbers_are_the_same_each_time():
    for case in CASES.values():
        seeded = "manual_seed" in case.faulty or "default_rng(0)" in case.faulty
        assert seeded or "rand" not in case.faulty, case.name
