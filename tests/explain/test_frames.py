"""Where a message was raised, in the forms in which Python, pytest, notebooks' prompts and TorchScript show it."""

from __future__ import annotations

import json

import pytest

from miscast.explanation import explained
from sweep import sweep

LONG = """
______________________________ test_product ______________________________

    def test_product():
>       product(torch.ones(1, 2, 2), torch.ones(1, 2, 2).half())

test_product.py:18:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
a = tensor([[[1., 1.],
         [1., 1.]]])

    def product(a, b):
        c = a.float()
>       return torch.bmm(
            c,
            b,
        )
E       RuntimeError: expected scalar type Float but found Half

test_product.py:4: RuntimeError
=========================== short test summary info ============================
FAILED test_product.py::test_product - RuntimeError: expected scalar type Float but fou...
"""
SHORT = """
______________________________ test_product ______________________________
test_product.py:18: in test_product
    product(torch.ones(1, 2, 2), torch.ones(1, 2, 2).half())
test_product.py:4: in product
    return torch.bmm(c, b)
           ^^^^^^^^^^^^^^^
E   RuntimeError: expected scalar type Float but found Half
=========================== short test summary info ============================
FAILED test_product.py::test_product - RuntimeError: expected scalar type Float but fou...
"""
DEVICES = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
MARKED = {
    "    total = scale * weight + bias / count\n            ~~~~~~^~~~~~~~": "mul",
    "    total = scale * weight + bias / count\n                             ~~~~~^~~~~~~": "div",
    "    self.cache[page, place] = keys\n    ~~~~~~~~~~^^^^^^^^^^^^^": "index_put_",
    "    picked = table[places] + torch.tanh(x)\n             ~~~~~^^^^^^^^": "index",
    "    y = torch.bmm(x, w) + torch.tanh(b)\n        ^^^^^^^^^^^^^^^": "bmm",
    "    sign = one + (-(~one))\n                  ^^^^^^^": "neg",
}


PART = """
________________________________ test_pooled ________________________________

    def forward(self, x, mask):
>       x = x.masked_fill((~mask).unsqueeze(-1), 0.0)
                           ^^^^^
E       TypeError: ~ (operator.invert) is only implemented on integer and Boolean-type tensors

test_pooled.py:7: TypeError
"""
QUOTED = LONG.replace("\n", "\n  ")


@pytest.mark.parametrize("log", [LONG, SHORT, QUOTED], ids=["long", "short", "quoted"])
def test_pytest_shows_the_line_and_its_place(log):
    [found] = explained(log)
    assert found.op == "bmm"
    assert (found.location.file, found.location.line, found.location.function) == ("test_product.py", 4, "product")
    assert found.location.code.startswith("return torch.bmm(")


def test_pytest_marks_a_part_of_the_line_too():
    [found] = explained(PART)
    assert found.op == "bitwise_not"
    assert found.location.line == 7


def test_the_summary_of_tests_alone_is_read():
    [found] = explained("FAILED test_a.py::test_a - RuntimeError: expected scalar type Float but found Half")
    assert found.rule == "dtype-mismatch"


@pytest.mark.parametrize("prefix", ["", "[rank0]: ", "2026-01-02 10:11:12 ERROR | "])
@sweep("code", MARKED)
def test_what_python_marks_below_the_code_failed(code, prefix):
    log = f'Traceback (most recent call last):\n  File "step.py", line 7, in step\n{code}\n{DEVICES}'
    [found] = explained("\n".join(prefix + line for line in log.split("\n")))
    assert found.op.rstrip("_") == MARKED[code].rstrip("_")


def test_marks_that_do_not_fit_the_code_say_nothing():
    code = "    y = a @ b\n          ^^^^^^^^^^"
    [found] = explained(f'Traceback (most recent call last):\n  File "a.py", line 7, in step\n{code}\n{DEVICES}')
    assert found.op == "matmul"


def test_torchscript_marks_the_line_above():
    [found] = explained(
        "Traceback of TorchScript (most recent call last):\n"
        '  File "scripted.py", line 8, in forward\n'
        "    y = x.clone()\n"
        "    out = torch.bmm(y, w)\n"
        "          ~~~~~~~~~ <--- HERE\n"
        "    return out\n"
        "RuntimeError: expected scalar type Float but found Double"
    )
    assert found.op == "bmm"


def test_an_error_that_is_raised_again_is_told_once():
    [found] = explained(
        'Traceback (most recent call last):\n  File "net.py", line 6, in forward\n    s = torch.bmm(q.half(), k)\n'
        "RuntimeError: expected scalar type Half but found Float\n\n"
        "The above exception was the direct cause of the following exception:\n\n"
        'Traceback (most recent call last):\n  File "serve.py", line 12, in handler\n    raise Failed(str(e)) from e\n'
        "serve.FailedError: expected scalar type Half but found Float"
    )
    assert (found.op, found.location.file, found.count) == ("bmm", "net.py", 2)


@pytest.mark.parametrize("marks", ["", "    ^^^^^^^^^^^^^^^^^^^^^^\n"])
def test_the_line_that_raises_is_no_second_error(marks):
    said = "Attempting to unscale FP16 gradients."
    [found] = explained(
        f'Traceback (most recent call last):\n  File "train.py", line 19, in <module>\n    raise ValueError("{said}")\n'
        f"{marks}ValueError: {said}"
    )
    assert (found.error, found.count) == (f"ValueError: {said}", 1)


OVERFLOW = "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {}, reducing to {}\n"


def test_the_end_of_a_run_is_told_without_the_steps_that_led_to_it():
    end = "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run."
    [found] = explained(f"{OVERFLOW.format(4, 2)}{OVERFLOW.format(2, 1)}{end}")
    assert found.error == end
    [found] = explained(OVERFLOW.format(4, 2) * 2)
    assert (found.pattern, found.count) == ("skipped-step", 2)


def test_a_loss_scale_that_float16_does_not_hold_is_only_searched_for():
    causes = [[one.name for one in explained(OVERFLOW.format(n, n // 2))[0].causes] for n in (2**32, 2**16, 2**15)]
    assert [names[0] for names in causes] == ["loss-scale-settles", "loss-scale-settles", "half-range-exceeded"]


@pytest.mark.parametrize(
    ("code", "op"),
    [
        ("return ops.implicit_gemm(features, filters)", "implicit_gemm"),
        ("corr, = alt_cuda_corr.forward(fmap1, fmap2, coords, r)", "alt_cuda_corr"),
    ],
)
def test_a_call_of_an_extension_is_the_op(code, op):
    [found] = explained(
        f'Traceback (most recent call last):\n  File "ops.py", line 8, in forward\n    {code}\n'
        "RuntimeError: expected scalar type Float but found Half"
    )
    assert found.op == op


def test_torchscript_marks_the_line_where_no_frame_is_shown():
    [found] = explained(
        "    doubled = torch.mul(one, CONSTANTS.c0)\n"
        "    scaled = torch.bmm(doubled, CONSTANTS.c1)\n"
        "             ~~~~~~~~~ <--- HERE\n"
        "    rest = int(torch.mul(scaled, other))\n"
        "Traceback of TorchScript, original code (most recent call last):\n"
        "net.py(32): scaled\n...\n"
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
    )
    assert found.op == "bmm"


def test_rich_breaks_the_line_before_the_function():
    [found] = explained(
        "│ /home/user/env/lib/python3.9/site-packages/torch/nn/modules/linear.py:114 in    │\n"
        "│ forward                                                                         │\n"
        "│   113 │   def forward(self, input: Tensor) -> Tensor:                           │\n"
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0!"
    )
    assert found.op == "linear"


def test_a_traceback_below_that_ends_in_another_error_is_not_the_messages():
    log = "[TRT] [E] 1: Internal Error (Cast output type does not support bool.)\nCompleted creating Engine\n"
    other = 'Traceback (most recent call last):\n  File "a.py", line 57, in main\n    f.write(engine.serialize())\n'
    [found] = explained(f"{log}{other}AttributeError: 'NoneType' object has no attribute 'serialize'")
    assert found.location.file == ""


def test_the_line_of_a_check_that_pytest_marks_is_not_another_error():
    [found] = explained(
        "    def dot(lhs, rhs):\n"
        '>       assert lhs.dtype == rhs.dtype, "lhs and rhs must have the same dtype!"\n'
        "E       AssertionError: lhs and rhs must have the same dtype!\n\n"
        "site-packages/triton/language/semantic.py:1009: AssertionError"
    )
    assert (found.op, found.count) == ("tl.dot", 1)


def test_a_message_that_is_said_twice_has_the_traceback_below():
    said = "mat1 and mat2 must have the same dtype, but got Float and Half"
    [found] = explained(
        f"!!! Exception during processing !!! {said}\nRuntimeError: {said}\nTraceback (most recent call last):\n"
        f'  File "nodes.py", line 9, in sample\n    y = F.linear(x, w)\nRuntimeError: {said}'
    )
    assert (found.location.file, found.location.line) == ("nodes.py", 9)


@pytest.mark.parametrize(
    "prefix",
    [
        "2026-01-02T10:11:12.123456789Z stderr F ",
        "(EngineCore_DP0 pid=7) ERROR 01-02 10:11:12 [core.py:700] ",
        "E0102 10:11:12.832000 361 site-packages/torch/fx/x.py:29] [0/0] ",
        "2026-01-02 10:11:12.123 | ERROR    | train:main:12 - ",
        "[01/02/26 10:11:12] ERROR    ",
        "wandb: ",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_what_loggers_put_first_is_no_code(prefix, end):
    lines = [
        "/site-packages/torch/nn/modules/conv.py in forward(self, input)",
        "    256         return F.conv1d(input, self.weight, self.bias,",
        "--> 257                         self.padding, self.groups)",
        "",
        "RuntimeError: Input type (torch.DoubleTensor) and weight type (torch.FloatTensor) should be the same",
    ]
    [found] = explained(end.join(f"{prefix}{line}" for line in lines))
    assert found.op == "conv1d"
    assert found.location.code == "return F.conv1d(input, self.weight, self.bias, self.padding, self.groups)"


SOME = (
    "Traceback (most recent call last):\n"
    '  File "vae.py", line 70, in run\n'
    "    x = encode(x * 2 - 1).mean * scale\n"
    "               ~~^~~\n"
    "RuntimeError: HIP error: invalid device function\n"
    "HIP kernel errors might be asynchronously reported at some other API call.\n"
)
RECORDS = {
    "json": json.dumps({"level": "error", "message": SOME, "pod": "a"}),
    "list": repr(SOME.splitlines(keepends=True)),
    "prefixed": f'2026-01-02T10:11:12Z app {json.dumps({"msg": SOME})}',
    "cut": json.dumps({"message": SOME})[:-30],
}


@pytest.mark.parametrize("record", RECORDS)
def test_a_traceback_written_as_one_line_is_read_as_its_lines(record):
    log = f"first line\n{RECORDS[record]}\nlast line"
    [found] = explained(log)
    assert (found.op, found.location.file, found.location.line, found.lines) == ("mul", "vae.py", 70, (2, 2))
