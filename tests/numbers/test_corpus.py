"""The programs of corpus/numbers: the faulty form does harm and is reported at its line, the right form is not.

One item runs all that is asserted of one program: alone, under `check --numerics` and under `run --shadow`.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from functools import partial

import pytest
from number_cases import INTENDED, cases, missed, read

import miscast
from shadowed import plain, same_bits, shadowed, tensors
from sweep import sweep

CASES = {case.name: case for case in cases()}
MISSED = missed()
NO_LOSS = "dtype-not-on-machine", "unstable-formula"
"""Rules that do not report lost numbers: float8 is slow on a CPU, and a formula may be better."""


def checked(source, name):
    report = miscast.check(partial(plain, source, name), machine="cpu", numerics=True)
    assert report.failed is None
    return report, [finding for finding in report.findings if finding.rule not in NO_LOSS]


def lines(findings):
    """The lines of findings, and those that gave their operands the dtype."""
    origins = [operand.dtype_origin for finding in findings for operand in finding.operands]
    places = [origin.location for origin in origins if origin is not None and origin.location is not None]
    return {place.line for place in (*(finding.location for finding in findings), *places)}


def set_at(findings):
    return {one.location.line for finding in findings for one in finding.related if one.label == "defined at"}


def updated(findings):
    """The lines that update a weight, whose finding is at the line that made it."""
    return {one.location.line for finding in findings for one in finding.related if one.label == "updated"}


def accused(session):
    return [finding for finding in session.findings() if finding.severity != "hint"]


def bits(variables):
    """The tensors of a program as they are now: what is called later may change them."""
    return {name: tensor.detach().clone() for name, tensor in tensors(variables).items()}


def assert_same(alone, beside):
    assert alone.keys() == beside.keys()
    assert [name for name, tensor in alone.items() if not same_bits(tensor, beside[name])] == []

SET_THERE = frozenset({"rotary_buffer_cast"})
"""The origin is the cast that is to be mended, of a buffer; the marked line is told as the one that set the angles."""


@pytest.mark.parametrize("name", CASES)
@pytest.mark.corpus("corpus/numbers/cases/{}.py")
def test_a_pair(name):
    case = CASES[name]
    variables = plain(case.faulty, name)
    alone, harm = bits(variables), variables["harm"]()

    report, lost = checked(case.faulty, name)
    assert report.ended is None
    assert {finding.severity for finding in lost} <= {"warning"}
    told = lines(lost) | (set_at(lost) if name in SET_THERE else set())
    found = {"check --numerics": case.line in told}
    session, variables = shadowed(case.faulty, name)
    found["run --shadow"] = case.line in lines(session.findings()) | updated(session.findings())
    assert_same(alone, bits(variables))
    assert [engine for engine in found if not found[engine] and name not in MISSED[engine]] == []

    assert checked(case.right, name)[1] == []
    session, variables = shadowed(case.right, name)
    assert accused(session) == []
    right = variables["harm"]()
    assert math.isfinite(right)
    assert math.isnan(harm) or harm > max(0.004, 5 * right)  # NaN is all the harm that there is


@pytest.mark.parametrize("file", INTENDED, ids=lambda file: file.stem)
@pytest.mark.corpus("corpus/numbers/intended/{}.py")
def test_what_is_intended_is_not_reported(file):
    source = file.read_text("utf-8")
    alone = bits(plain(source, file.stem))
    session, variables = shadowed(source, file.stem)
    assert accused(session) == []
    assert session.shadow.ops > 3
    assert_same(alone, bits(variables))
    assert checked(source, file.stem)[1] == []


ONE_ID = {
    "a running total": ("sum-stalls", """
    total = torch.full((), 250.0, dtype=torch.bfloat16)
    for _ in range(40):
        total = total + torch.ones((), dtype=torch.bfloat16)"""),
    "an average": ("update-absorbed", """
    average, weight = torch.zeros(64).bfloat16(), torch.ones(64).bfloat16()
    for _ in range(40):
        average.lerp_(weight, 1e-3)"""),
    "the spread of one number": ("nan-appears", "y = torch.ones(4, 1).std(dim=1)"),
    "0 / 0": ("nan-appears", "y = torch.tensor([1.0, 0.0]).half() / torch.tensor([1.0, 1e-9]).half()"),
    "a mask that multiplies": ("nan-appears", "y = torch.tensor([0.0, 1.0]) * torch.tensor([float('inf'), 1.0])"),
    "infinities": ("nan-appears", "x = torch.full((2,), float('-inf'))\ny = x - x.clone()"),
    "one number that is cast": ("constant-vanishes", "y = torch.tensor(1e-8).half()"),
    "an eps": ("constant-vanishes", "y = torch.zeros(4, 4).half() + 1e-8"),
    "weights": ("half-parameters-without-master", """
    net = torch.nn.Linear(64, 64).bfloat16()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-6)
    for _ in range(4):
        net(torch.ones(2, 64).bfloat16()).float().sum().backward()
        optimizer.step()"""),
    "a product": ("number-underflows", "y = torch.full((3, 60), 0.01).half().prod(dim=1)"),
    "a product in float32": ("number-underflows", "y = torch.full((3, 60), 0.01).prod(dim=1)"),
    "a one-pass variance": ("difference-cancels", "x = torch.arange(50) + 5e6\ny = (x * x).mean() - x.mean() ** 2"),
}  # fmt: skip
"""By fault, the rule that each engine which finds it tells it by, and the program."""


@pytest.mark.filterwarnings("ignore:std")
@sweep("fault", ONE_ID)
def test_engines_have_one_id_for_a_fault(fault):
    rule, program = ONE_ID[fault]
    source = f"import torch\n{textwrap.dedent(program).strip()}\n"
    found = {"check": miscast.check(partial(plain, source, fault), machine="cpu").findings}
    found["check --numerics"] = checked(source, fault)[1]
    found["run --shadow"] = accused(shadowed(source, fault)[0])
    line = found["check --numerics"][0].location.line
    told = {engine: {one.rule for one in some if one.location.line == line} for engine, some in found.items()}
    assert set().union(*told.values()) == {rule}


def test_every_kind_has_several_cases():
    kinds = Counter(case.kind for case in CASES.values())
    assert len(kinds) == 15
    assert min(kinds.values()) >= 3
    assert len(CASES) >= 40


def test_what_is_missed_is_a_case():
    assert {name for names in MISSED.values() for name in names} <= CASES.keys()


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
