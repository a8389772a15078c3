"""Numbers that a dtype cannot hold: those of tensors without dimensions, and those that are mended."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

import miscast
from miscast.vm.judging.numbers import spelled
from sweep import sweep


def test_a_bound_that_the_op_takes_one_off_stays_one_above():
    report = miscast.check(lambda: torch.zeros(2, dtype=torch.uint8).random_(255, 300))
    assert [finding.rule for finding in report.findings] == ["number-out-of-range"]
    assert report.ended is None


@pytest.mark.filterwarnings("ignore:.*quantize:UserWarning", "ignore:.*quantized:UserWarning")
def test_a_quantized_tensor_holds_numbers_that_its_integers_do_not():
    def call():
        return torch.nn.functional.hardtanh(torch.quantize_per_tensor(torch.ones(2, 4), 0.1, 0, torch.quint8))

    call()
    assert miscast.check(call, machine="cpu").findings == ()


def added():
    x = torch.ones(2, device="cuda").half()
    return x + torch.tensor(1e3), x + torch.tensor(1e6)


def scaled():
    """More than float16 holds, but not as the tensor's number is."""
    return torch.add(torch.ones(2, device="cuda").half(), torch.tensor(1e3), alpha=1000)


def both_without_dimensions():
    return torch.ones((), device="cuda").half() + torch.tensor(1e6, device="cuda")


def test_a_number_that_is_added_as_a_tensor():
    (finding,) = miscast.check(added, machine="v100").findings
    assert finding.rule == "number-becomes-infinite"
    assert (
        finding.message == "1e6 (`other` of add) makes every float16 value infinite"
    )


def test_a_number_that_is_not_added_as_it_is_says_nothing():
    assert miscast.check(scaled, machine="v100").findings == ()


def test_between_two_without_dimensions_the_wider_dtype_holds_it():
    assert miscast.check(both_without_dimensions, machine="v100").findings == ()


def half():
    return torch.ones(4).half()


def some():
    return torch.tensor([True, False, True, False])


def byte():
    return torch.zeros(2, dtype=torch.uint8)


def put():
    x = half()
    x[0] = 1e9
    return x


LOW = "does not fit float16: -65504 is the lowest"
HIGH = "does not fit float16: 65504 is the largest"
LARGEST = "does not fit uint8: 255 is the largest"
OVER = "makes every float16 value infinite"
TOLD = {
    "masked_fill": (lambda: half().masked_fill(some(), -1e9), f"-1e9 (`value` of masked_fill) {LOW}", "self", -65504),
    "of a keyword": (
        lambda: half().masked_fill(mask=some(), value=-1e9), f"-1e9 (`value` of masked_fill) {LOW}", "self", -65504
    ),
    "into what is written, and not the mask": (
        lambda: half().masked_fill_(some(), -1e9), f"-1e9 (`value` of masked_fill_) {LOW}", "self", -65504
    ),
    "into what is written, and not what indexes": (
        lambda: half().index_fill_(0, torch.tensor([0]), 1e9), f"1e9 (`value` of index_fill_) {HIGH}", "self", 65504
    ),
    "into a result": (lambda: torch.add(half(), 1e6, out=half()), f"1e6 (`other` of add) {OVER}", "out", math.inf),
    "where": (lambda: torch.where(some(), -1e9, half()), "-1e9 (`self` of where) is -inf in float16", "", -math.inf),
    "where, of a tensor": (
        lambda: torch.where(some(), half(), torch.tensor(1e9)), "1e9 (`other` of where) is inf in float16", "", math.inf
    ),
    "a tensor of one number, by its argument": (
        lambda: torch.scalar_tensor(300, dtype=torch.uint8), f"300 (`value` of scalar_tensor) {LARGEST}", "", 255
    ),
    "full": (
        lambda: torch.full((2,), 70000, dtype=torch.float16), f"70000 (`fill_value` of full) {HIGH}", "", 65504
    ),
    "pad": (lambda: F.pad(half(), (1, 1), value=70000), f"70000 (`value` of pad) {HIGH}", "self", 65504),
    "an item": (put, "1e9 (`value` of Tensor.__setitem__) is inf in float16", "", math.inf),
    "a bound, which is taken one off": (
        lambda: byte().random_(255, 300), f"300 (`to` of random_) {LARGEST}", "self", 255
    ),
    "a product of tensors": (lambda: byte().fill_(300.5), f"300.5 (`value` of fill_) {LARGEST}", "self", 255),
    "subtracted": (lambda: half() - 1e6, f"1e6 (`other` of sub) {OVER}", "self", -math.inf),
    "the first of several": (
        lambda: torch.tensor([1, 300, 400], dtype=torch.uint8), f"300 (`data` of torch.tensor) {LARGEST}", "", 255
    ),
    "of rows": (
        lambda: torch.tensor([[1], (300,)], dtype=torch.uint8), f"300 (`data` of torch.tensor) {LARGEST}", "", 255
    ),
    "a number alone": (
        lambda: torch.as_tensor(300, dtype=torch.uint8), f"300 (`data` of torch.as_tensor) {LARGEST}", "", 255
    ),
    "asarray": (
        lambda: torch.asarray([300], dtype=torch.uint8), f"300 (`data` of torch.asarray) {LARGEST}", "", 255
    ),
    "of half precision": (
        lambda: torch.tensor([1.0, 1e6], dtype=torch.float16), "1e6 (`data` of torch.tensor) is inf in float16", "",
        math.inf,
    ),
    "of half precision, another": (
        lambda: torch.tensor((1.0, -1e39), dtype=torch.bfloat16), "-1e39 (`data` of torch.tensor) is -inf in bfloat16",
        "", -math.inf,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TOLD)
def test_a_number_that_does_not_fit_is_told_and_the_nearest_is_used(case):
    call, message, blamed, value = TOLD[case]
    made = []
    report = miscast.check(
        lambda: made.extend(call().flatten().tolist()), machine="cpu"
    )
    (finding,) = report.findings
    assert (report.ended, finding.message, finding.blamed) == (None, message, blamed)
    assert [operand.name for operand in finding.operands] == (
        [blamed] if blamed else []
    )
    assert value in (min(made), max(made))


SILENT = {
    "what is in it": lambda: half().masked_fill(some(), -65504),
    "a wider dtype, by an operand": lambda: torch.where(
        some(), half(), torch.full((4,), 1e6)
    ),
    "float32": lambda: torch.tensor((1.0, -1e39), dtype=torch.float32),
    "no dtype": lambda: torch.tensor([1, 300]),
    "infinity itself": lambda: torch.tensor([math.inf], dtype=torch.float16),
    "a tensor of numbers": lambda: torch.as_tensor(
        torch.tensor([1e6]), dtype=torch.float16
    ),
}


@pytest.mark.parametrize("case", SILENT)
def test_a_number_that_fits_is_no_finding(case):
    assert miscast.check(SILENT[case], machine="cpu").findings == ()


OTHERS = {
    "a dtype without its name": lambda: torch.as_tensor([300], torch.uint8),
    "a text": lambda: torch.tensor(["a"], dtype=torch.uint8),
    "rows of several lengths": lambda: torch.tensor([[1], [2, 3]], dtype=torch.uint8),
    "a complex number": lambda: torch.tensor([1j], dtype=torch.float32),
    "a size that is no number": lambda: torch.tensor(
        [1, 300], dtype=torch.uint8, device="nowhere"
    ),
    "nothing": lambda: torch.tensor(dtype=torch.uint8),
    "another argument": lambda: torch.as_tensor(data=[1], dtype=torch.uint8, bogus=1),
    "what is at fault beside a number that does not fit": lambda: torch.tensor(
        [300], dtype=torch.uint8, device="nowhere"
    ),
    "a number by the argument's name": lambda: torch.tensor(data=[300], dtype=torch.uint8),
    "a gradient": lambda: torch.tensor([1], dtype=torch.uint8, requires_grad=True),
    "a gradient of a number that does not fit": lambda: torch.tensor(
        [-1], dtype=torch.uint8, requires_grad=True
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_else_a_list_is_refused_for_is_raised_as_torch_does(case):
    with pytest.raises((TypeError, ValueError, RuntimeError)) as raised:
        OTHERS[case]()
    report = miscast.check(OTHERS[case], machine="cpu")
    assert str(raised.value).splitlines()[0] in report.ended


@sweep(
    ("number", "text"),
    [
        (1e9, "1e9"), (-1e9, "-1e9"), (1e-5, "1e-5"), (1.5e-7, "1.5e-7"), (1e20, "1e20"), (65519.5, "65519.5"),
        (300, "300"), (True, "True"), (0.1, "0.1"), (1e100, "1e100"), (3.4028234663852886e38, "3.4028234663852886e+38"),
        (math.inf, "inf"), (-math.inf, "-inf"), (math.nan, "nan"), (1j, "1j"), (10_000_000, "10000000"),
        (1234567.0, "1234567.0"),
    ],
)  # fmt: skip
def test_a_number_is_spelled_as_people_write_it(number, text):
    assert spelled(number) == text
