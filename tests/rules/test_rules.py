"""Each rule: a call that it must report, with what it says; and every call is reported by one rule and no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

import traces
from lossy_calls import LOSSY
from miscast.core.event import Memory, Violation
from miscast.core.failure import Failures
from miscast.fixing.remedy.advice import chosen
from miscast.fixing.remedy.proposing import Sources, proposed
from miscast.judging.rules import judge, known
from sweep import sweep
from traces import at, call, event, operand

FLOAT = event("born", "torch.zeros", "float32", 3, "target = torch.zeros(8)")
BF16 = event("cast", "Tensor.to", "bfloat16", 4, "model = model.to(torch.bfloat16)")
GRAD = event("cast", "Tensor.float", "float32", 6, "p.grad.data = p.grad.data.float()")


def _violation(kind, odd, expected, like=None, error="…"):
    return Violation(kind=kind, odd=(odd,), like=like, expected=expected, error=error)


def _number(
    odd,
    dtype,
    argument,
    value,
    error="value cannot be converted to type … without overflow",
):
    names = (odd,) if odd else ()
    return Violation(
        kind="number",
        odd=names,
        expected=dtype,
        error=error,
        argument=argument,
        value=value,
    )


HELD = Memory(
    device="cuda:0", capacity=16_160 << 20, peak=24_637 << 20, parameters=5059 << 20, gradients=4895 << 20,
    optimizer=9789 << 20, temporaries=4894 << 20,
)  # fmt: skip

BACK = "and its result back: .to(torch.float16)"
CASES = {
    "operand-dtype-mismatch": (
        traces.linear(),
        "linear mixes float32 `input` with float16 `weight`",
        "cast `input` before linear at train.py:22: .to(torch.float16)",
    ),
    "operand-dtype-mismatch: a module never cast": (
        traces.eroded(),
        "conv2d mixes float16 `input` with float32 `weight`",
        "cast the module `erode` before conv2d at train.py:30: .to(torch.float16)",
    ),
    "operand-device-mismatch": (
        traces.stray(),
        "conv2d gets `input` on cuda:0 but `weight` on cpu",
        'move the module `vae` before conv2d at train.py:40: .to("cuda")',
    ),
    "operand-device-mismatch: a tensor born on the CPU": (
        call(
            "add",
            [operand("self", "float16", HALF := traces.HALF, moved=traces.CAT),
             operand("other", "float32", traces.MASK, device="cpu",
                     moved=event("born", "torch.ones", "float32", 9, "m = torch.ones(x.shape)", device="cpu"))],
            _violation("device", "other", "cuda:0", "self"),
            at(10, "x = x + m"),
        ),
        "add gets `self` on cuda:0 but `other` on cpu",
        'move `other` before add at train.py:10: .to("cuda")',
    ),
    "operand-device-mismatch: a module whose hook was passed by": (
        call(
            "conv2d",
            [operand("input", "float16", HALF, moved=event("moved", "Tensor.to", "float16", 33, 'z = z.to("cuda:0")')),
             operand("weight", "float16", HALF, device="cpu", moved=event(
                 "moved", "Module.to", "float16", 9, "_, hook = cpu_offload_with_hook(vae)", device="cpu",
                 library=at(745, 'return module.to("cpu")', file="accelerate/hooks.py")))],
            _violation("device", "input", "cpu", "weight"),
            at(10, "vae.decode(z)", module="vae.decoder.conv_in"),
        ),
        "conv2d gets `input` on cuda:0 but `weight` on cpu",
        "call the module, not one of its methods: the hook set at train.py:9 moves it only during forward",
    ),
    "operand-dtype-not-accepted": (
        call("nll_loss", [operand("self", "float32"), operand("target", "float32", FLOAT)],
             _violation("dtype", "target", "int64"), at(8, "loss = F.nll_loss(y, target)")),
        "nll_loss does not accept float32 `target`: expected int64",
        "cast `target` before nll_loss at train.py:8: .to(torch.int64)",
    ),
    "operand-dtype-not-accepted: integers where fractions are wanted": (
        call("cross_entropy_loss", [operand("self", "float32", FLOAT), operand("target", "int64")],
             _violation("dtype", "target", "float32", "self"), at(8)),
        "cross_entropy_loss does not accept int64 `target` with float32 `self`",
        "cast `target` before cross_entropy_loss at train.py:8: .to(torch.float32)",
    ),
    "operand-dtype-not-accepted: in place": (
        call("add_", [operand("self", "int64"), operand("other", "float32", FLOAT)],
             _violation("kind", "self", "float32", "other"), at(8)),
        "add_ cannot write its float32 result into int64 `self`",
        "cast `self` before add_ at train.py:8: .to(torch.float32)",
    ),
    "unsupported-dtype": (
        call("linalg_inv", [operand("self", "float16", HALF)], _violation("unsupported", "self", "float32"), at(8)),
        "linalg_inv is not implemented for float16 on cuda",
        "cast `self` before linalg_inv, at train.py:8: .to(torch.float32), and its result back: .to(torch.float16)",
    ),
    "unsupported-dtype: an integer": (
        call("_softmax", [operand("self", "int64", device="cpu")],
             _violation("unsupported", "self", "float32", error="\"softmax\" not implemented for 'Long'"), at(8)),
        "_softmax is not implemented for int64 on cpu",
        "cast `self` before _softmax, at train.py:8: .to(torch.float32)",
    ),
    "operand-dtype-not-accepted: by no kernel anywhere": (
        call("one_hot", [operand("self", "float32", FLOAT)],
             _violation("unsupported", "self", "int64", error="one_hot is only applicable to index tensor"), at(8)),
        "one_hot does not accept float32 `self`: expected int64",
        "cast `self` before one_hot at train.py:8: .to(torch.int64)",
    ),
    "number-out-of-range": (
        call("masked_fill", [operand("self", "float16", HALF)],
             _number("self", "float16", "value", "-1e9"), at(8, "s = scores.masked_fill(mask, -1e9)")),
        "-1e9 (`value` of masked_fill) does not fit float16: -65504 is the lowest",
        "replace -1e9 with torch.finfo(scores.dtype).min at train.py:8",
        "cast `scores` before masked_fill at train.py:8: .to(torch.float32)",
    ),
    "number-out-of-range: an integer": (
        call("full", [], _number("", "uint8", "fill_value", "300"), at(8, "x = torch.full((2,), 300, dtype=u)")),
        "300 (`fill_value` of full) does not fit uint8: 255 is the largest",
        "use a dtype that can hold 300 at train.py:8: torch.int16",
        "replace 300 with torch.iinfo(torch.uint8).max at train.py:8",
    ),
    "number-out-of-range: nan": (
        call("fill_", [operand("self", "int32", FLOAT)], _number("self", "int32", "value", "nan"), at(8)),
        "nan (`value` of fill_) does not fit int32",
        "cast `self` before fill_ at train.py:8: .to(torch.float32)",
    ),
    "number-out-of-range: float32 is too small": (
        call("fill_", [operand("self", "float32", FLOAT)], _number("self", "float32", "value", "1e300"), at(8)),
        "1e300 (`value` of fill_) does not fit float32: 3.403e38 is the largest",
        "replace 1e300 with torch.finfo(torch.float32).max at train.py:8",
        "cast `self` before fill_ at train.py:8: .to(torch.float64)",
    ),
    "number-becomes-infinite": (
        call("Tensor.__setitem__", [], _number("", "float16", "value", "-1e9", error=""),
             at(8, "scores[mask] = -1e9")),
        "-1e9 (`value` of Tensor.__setitem__) is -inf in float16",
        "replace -1e9 with torch.finfo(scores.dtype).min at train.py:8",
        "use a dtype that can hold -1e9 at train.py:8: torch.float32",
    ),
    "number-becomes-infinite: a sum": (
        call("add", [operand("self", "float16", HALF)], _number("self", "float16", "other", "1e9", error=""), at(8)),
        "1e9 (`other` of add) makes every float16 value infinite",
        "cast `self` before add at train.py:8: .to(torch.float32)",
    ),
    "unsupported-dtype: complex": (
        call("_amp_update", [operand("self", "complex64", BF16)],
             _violation("unsupported", "self", "float32", error="\"amp\" not implemented for 'ComplexFloat'"), at(8)),
        "_amp_update is not implemented for complex64 on cuda",
        "use its real view before _amp_update: torch.view_as_real",
    ),
    "unsupported-dtype: NumPy": (
        call("Tensor.numpy", [operand("self", "bfloat16", BF16, device="cpu")],
             _violation("unsupported", "self", "float32", error="Got unsupported ScalarType BFloat16"), at(8)),
        "Tensor.numpy is not implemented for bfloat16 on cpu",
        "cast `self` before Tensor.numpy, at train.py:8: .to(torch.float32)",
    ),
    "unscale-fp16-gradients": (
        call("GradScaler.unscale_", [operand("param", "float16", HALF)],
             _violation("forbidden", "param", "float32"), at(8), phase="optimizer"),
        "GradScaler.unscale_ gets float16 gradients",
        ("keep trained parameters in float32, and let torch.autocast compute in float16: "
         "`for p in filter(lambda p: p.requires_grad, model.parameters()): p.data = p.data.float()`"),
        "train in bfloat16 without a GradScaler, if the machine supports it",
    ),
    "gradient-dtype-mismatch": (
        call("Tensor.grad", [operand("self", "bfloat16", BF16), operand("grad", "float32", GRAD)],
             _violation("dtype", "grad", "bfloat16", "self"), at(8)),
        "a float32 gradient is assigned to a bfloat16 tensor",
        "cast `grad` before Tensor.grad at train.py:8: .to(torch.bfloat16)",
    ),
    "gradient-dtype-mismatch: the optimizer": (
        call("_foreach_lerp_", [operand("self[0]", "bfloat16", BF16), operand("tensors1[0]", "float32", GRAD)],
             _violation("dtype", "tensors1[0]", "bfloat16", "self[0]"), at(8), phase="optimizer"),
        "the optimizer's _foreach_lerp_ mixes bfloat16 `self[0]` with float32 `tensors1[0]`",
        "cast `tensors1[0]` before _foreach_lerp_ at train.py:8: .to(torch.bfloat16)",
    ),
    "autocast-forbids": (
        call("binary_cross_entropy", [operand("self", "float16", HALF)],
             _violation("forbidden", "self", "float32"), at(8)),
        "binary_cross_entropy is forbidden under autocast",
        "use binary_cross_entropy_with_logits (nn.BCEWithLogitsLoss) on the logits, without the sigmoid",
        'call binary_cross_entropy in torch.autocast("cuda", enabled=False), on float32 operands',
    ),
    "autocast-hides-mismatch": (
        traces.linear(hidden=True),
        "only autocast keeps linear from mixing float32 `input` with float16 `weight`",
        "cast `input` before linear at train.py:22: .to(torch.float16)",
    ),
    "device-not-on-machine": (
        call("cuda", [], Violation(kind="absent", odd=(), expected="cpu", error="Torch not compiled …"), at(8)),
        "cuda does not exist on v100",
        'use a device that exists: "cuda" if torch.cuda.is_available() else "cpu"',
        "check for a machine that has one, with --machine",
    ),
    "memory-exceeds-device": (
        call("sqrt", [], Violation(kind="memory", odd=(), expected="cuda:0", error="CUDA out of memory. …"), at(8)),
        "cuda:0 has 15.78 GiB of memory, tensors need 24.06 GiB at the peak",
        "9.56 GiB of optimizer state: shard or offload it (FSDP, ZeRO), or keep it in 8 bits",
        "4.94 GiB of parameters: load them in float16, or split the model over more devices",
    ),
    "device-data-as-numpy": (
        call("Tensor.numpy", [operand("self", "float16", HALF)], _violation("device", "self", "cpu"), at(8)),
        "NumPy cannot read a tensor on cuda:0",
        "copy it to the host first, at train.py:8: .cpu().numpy()",
    ),
    "operand-device-mismatch: a demand of the op": (
        call("embedding", [operand("weight", "float16", HALF, device="cpu")],
             _violation("device", "weight", "cuda:0"), at(8)),
        "embedding expects `weight` on cuda:0 but got cpu",
        'move `weight` before embedding at train.py:8: .to("cuda")',
    ),
    "operand-device-mismatch: nobody named": (
        call("embedding", [], Violation(kind="device", odd=(), expected="cuda:0", error="…"), at(8)),
        "embedding expects `embedding` on cuda:0 but got another device",
    ),
    "operand-dtype-not-accepted: nobody named": (
        call("embedding", [], Violation(kind="dtype", odd=(), expected="int64", error="…"), at(8)),
        "embedding expects int64",
    ),
    "unsupported-dtype: nobody named": (
        call("svd", [], Violation(kind="unsupported", odd=(), expected="float32", error="…"), at(8)),
        "svd is not implemented for this dtype on this device",
    ),
    "unsupported-dtype: of float8 alone": (
        call("_scaled_mm", [operand("self", "float8_e4m3fn", HALF)],
             _violation("unsupported", "self", "bfloat16"), at(8)),
        "_scaled_mm is not implemented for float8_e4m3fn on cuda",
        "multiply in bfloat16 on this GPU: cast and scale the operands, then torch.mm",
    ),
    "unsupported-dtype: of float8 alone, another version": (
        call("_scaled_mm_v2", [operand("self", "float8_e4m3fn", HALF)],
             _violation("unsupported", "self", "bfloat16"), at(8)),
        "_scaled_mm_v2 is not implemented for float8_e4m3fn on cuda",
        "multiply in bfloat16 on this GPU: cast and scale the operands, then torch.mm",
    ),
    "unsupported-dtype: one that no table knows": (
        call("addmm", [operand("self", "bits8", HALF, device="cpu")],
             _violation("unsupported", "self", "float32", error="\"addmm\" not implemented for 'Bits8'"), at(8)),
        "addmm is not implemented for bits8 on cpu",
        "cast `self` before addmm, at train.py:8: .to(torch.float32)",
    ),
    "gradient-dtype-mismatch: of an unknown one": (
        call("Tensor.grad", [], _violation("dtype", "grad", "bfloat16", "self"), at(8)),
        "a different gradient is assigned to a different tensor",
    ),
    "gradient-dtype-mismatch: the backward pass": (
        call("mm", [operand("grad_output", "float32", GRAD), operand("mat2", "bfloat16", BF16)],
             _violation("dtype", "grad_output", "bfloat16", "mat2"), at(8), phase="backward"),
        "the backward pass's mm mixes float32 `grad_output` with bfloat16 `mat2`",
        "cast `grad_output` before mm at train.py:8: .to(torch.bfloat16)",
    ),
    "gradient-dtype-mismatch: a gradient of the program's": (
        call("mm", [operand("grad_output", "float32", GRAD), operand("mat2", "bfloat16", BF16)],
             _violation("dtype", "grad_output", "bfloat16", "mat2"), at(8)),
        "mm mixes float32 `grad_output` with bfloat16 `mat2`",
        "cast `grad_output` before mm at train.py:8: .to(torch.bfloat16)",
    ),
    "autocast-forbids: another op": (
        call("linalg_some", [operand("self", "bfloat16", HALF, device="cpu")],
             _violation("forbidden", "self", "float32"), at(8)),
        "linalg_some is forbidden under autocast",
        'call linalg_some in torch.autocast("cpu", enabled=False), on float32 operands',
    ),
    "autocast-forbids: nobody named": (
        call("linalg_some", [], Violation(kind="forbidden", odd=(), expected="float32", error="…"), at(8)),
        "linalg_some is forbidden under autocast",
        'call linalg_some in torch.autocast("cuda", enabled=False), on float32 operands',
    ),
    "autocast-hides-mismatch: of one dtype": (
        call("nll_loss", [operand("self", "float32", FLOAT), operand("target", "float32", FLOAT)],
             _violation("dtype", "target", "int64"), at(8), hidden=True),
        "only autocast keeps nll_loss from failing",
        "cast `target` before nll_loss at train.py:8: .to(torch.int64)",
    ),
    "device-not-on-machine: a forked process": (
        call("cuda", [], Violation(kind="absent", odd=(), expected="cpu",
                                   error="Cannot re-initialize CUDA in forked subprocess. …"), at(8)),
        "cuda cannot be used in a forked process: its parent already uses it",
        'start processes with "spawn": mp.get_context("spawn"), or mp.set_start_method("spawn")',
        "use the device only in the child processes",
    ),
    "device-data-as-numpy: nobody named": (
        call("Tensor.numpy", [], Violation(kind="device", odd=(), expected="cpu", error="…"), at(8)),
        "NumPy cannot read a tensor on a device",
        "copy it to the host first, at train.py:8: .cpu().numpy()",
    ),
}  # fmt: skip

CASES |= LOSSY

HINTED = ("unstable-formula",)
WARNED = ("number-becomes-infinite", "autocast-hides-mismatch", *LOSSY)


@sweep("case", CASES)
def test_a_rule_says_what_is_wrong_and_what_to_write(case):
    broken, message, *help_ = CASES[case]
    (finding,) = judge(traces.trace(broken, memory=(HELD,)), strict=True)
    assert finding.rule == case.partition(":")[0]
    assert finding.message == message
    assert [
        f"{fix.title}{' (safe)' if fix.safe else ''}" for fix in finding.fixes
    ] == help_
    assert (finding.severity, finding.phase) == (
        "hint" if case in HINTED else "warning" if case.startswith(WARNED) else "error",
        broken.phase,
    )
    assert finding.location == broken.location
    assert finding.error == broken.violation.error
    assert len(finding.fixes) <= 2


def test_every_rule_has_a_case():
    with_calls = {rule.name for rule in known() if rule.find} - {"dtype-not-on-machine"}
    assert {case.partition(":")[0] for case in CASES} == with_calls


@sweep("rule", known(), ids=lambda rule: rule.name)
def test_a_page_has_its_parts(rule):
    parts = [line[3:] for line in rule.page.splitlines() if line.startswith("## ")]
    assert parts == ["What it does", "Why is this bad?", "Example", "Use instead", "Fix safety"]
    assert rule.summary.endswith(".")


def test_rounding_a_layer_is_not_safe_though_its_weight_was_born_empty():
    born = event("born", "torch.empty", "float32", 3, "self.conv = nn.Conv2d(3, 4, 2)")
    conv = call(
        "conv2d",
        [operand("input", "float16", traces.HALF), operand("weight", "float32", born)],
        _violation("dtype", "weight", "float16", "input"),
        at(8, "return self.conv(x)"),
    )
    (finding,) = judge(traces.trace(conv))
    text = "import torch\nfrom torch import nn\nself.conv = nn.Conv2d(3, 4, 2)\n\n\n\n\ny = self.conv(x)\n"
    first = chosen(proposed(finding, {}, Sources({"train.py": text.encode()})), "conv2d")[0]
    assert (first.variants[-1].title, first.safe) == ("cast `nn.Conv2d(3, 4, 2)` at train.py:3: .half()", False)


def test_what_autocast_hides_is_told_only_when_asked():
    assert judge(traces.trace(traces.linear(hidden=True))) == ()


def test_nothing_broken_nothing_found():
    assert judge(traces.trace(), strict=True) == ()


@pytest.mark.parametrize(
    ("machine", "dtype", "severity", "message"),
    [
        (
            "v100",
            "bfloat16",
            "warning",
            "bfloat16 is emulated on v100: correct but slow",
        ),
        ("m1", "float64", "error", "float64 does not exist on m1"),
    ],
)
def test_a_dtype_that_the_machine_has_not(machine, dtype, severity, message):
    chosen = event("cast", "Tensor.to", dtype, 4, f"x = x.to(torch.{dtype})")
    (finding,) = judge(traces.trace(machine=machine, choices=(chosen,)))
    assert (finding.rule, finding.severity, finding.message) == (
        "dtype-not-on-machine",
        severity,
        message,
    )
    assert finding.location == chosen.location


@pytest.mark.parametrize(
    ("machine", "dtype", "fixes"),
    [
        ("v100", "bfloat16", ["use torch.float16 here, with a GradScaler in training (largest value: 65504)",
                              "use torch.float32 here, which takes twice the memory"]),
        ("m1", "float64", ["use torch.float32 here"]),
    ],
)  # fmt: skip
def test_what_to_choose_in_place_of_a_dtype_that_the_machine_has_not(
    machine, dtype, fixes
):
    (finding,) = judge(
        traces.trace(machine=machine, choices=(event("cast", "Tensor.to", dtype, 4),))
    )
    assert [(fix.title, fix.safe) for fix in finding.fixes] == [
        (title, False) for title in fixes
    ]


def test_a_choice_is_told_with_the_library_that_made_it_and_without_a_line_that_is_not_known():
    library = at(77, file="accelerate/big.py")
    (inside,) = judge(
        traces.trace(
            choices=(event("cast", "Tensor.to", "bfloat16", 4, library=library),)
        )
    )
    assert (inside.op, inside.phase, inside.location.line) == (
        "Tensor.to",
        "program",
        4,
    )
    assert [(one.label, one.location) for one in inside.related] == [("in", library)]
    (nowhere,) = judge(traces.trace(choices=(replace(BF16, location=None),)))
    assert (nowhere.location.file, nowhere.location.line, nowhere.related) == (
        "<unknown>",
        0,
        (),
    )


def test_a_dtype_that_the_machine_has():
    assert judge(traces.trace(machine="a100", choices=(BF16,))) == ()


def test_further_choices_of_the_same_dtype_follow_from_the_first():
    later = [
        event("autocast", "linear", "bfloat16", line, "y = f(x)") for line in (20, 21)
    ]
    first, *rest = judge(traces.trace(choices=(BF16, *later)))
    assert first.consequence_of is None
    assert [finding.consequence_of for finding in rest] == [0, 0]


@sweep(
    ("line", "title"),
    [
        ("y = nn.Linear(8, 8)(x)", "cast `nn.Linear(8, 8)` at train.py:3: .half()"),
        ("head = nn.Linear(8, 8)", "cast `nn.Linear(8, 8)` at train.py:3: .half()"),
        ("head = wrap(nn.Linear(8, 8))", "cast `nn.Linear(8, 8)` at train.py:3: .half()"),
        ("a, b = nn.Linear(8, 8), 1", "cast `nn.Linear(8, 8)` at train.py:3: .half()"),
        ("self.w = nn.Parameter(torch.empty(8, 8))", "pass dtype=torch.float16 to `torch.empty` at train.py:3"),
        ("net = torch.compile(Net())", "cast `Net()` at train.py:3: .half()"),
        ("net = AutoModel.from_pretrained(name)", "cast `AutoModel.from_pretrained(name)` at train.py:3: .half()"),
    ],
)
def test_help_names_a_module_and_not_what_it_gave(line, title):
    born = event("born", "torch.empty", "float32", 3, line)
    used = call(
        "linear",
        [operand("input", "float16", traces.HALF), operand("weight", "float32", born)],
        _violation("dtype", "weight", "float16", "input"),
        at(8, "y = head(x)", module="Linear"),
    )
    (finding,) = judge(traces.trace(used))
    text = f"import torch\nfrom torch import nn\n{line}\n\n\n\n\ny = head(x)\n"
    changes = proposed(finding, {}, Sources({"train.py": text.encode()}))
    assert chosen(changes, "linear")[0].variants[-1].title == title


@pytest.mark.parametrize(
    ("op", "device", "dtype", "fixes"),
    [
        ("addmm", "cpu", "float16", 2),
        ("addmm", "cuda:0", "float16", 1),
        ("addmm", "cpu", "int8", 1),
        ("unheard_of", "cpu", "float16", 1),
    ],
)
def test_what_has_a_kernel_on_a_gpu_may_run_there(op, device, dtype, fixes):
    lacks = _violation(
        "unsupported", "self", "float32", error=f"\"{op}\" not implemented for '…'"
    )
    (finding,) = judge(
        traces.trace(call(op, [operand("self", dtype, device=device)], lacks, at(8)))
    )
    further = (
        [f"run it on a GPU: CUDA has a {dtype} kernel for {op}"]
        if fixes == 2
        else []
    )
    assert [fix.title for fix in finding.fixes[1:]] == further


def test_a_generator_of_another_device_is_to_be_made_there():
    generator = operand("generator", "uint8", device="cpu")
    drawn = call(
        "rand", [generator], _violation("device", "generator", "cuda:0"), at(8)
    )
    (finding,) = judge(traces.trace(drawn))
    assert finding.message == "rand expects `generator` on cuda:0 but got cpu"
    assert [fix.title for fix in finding.fixes] == [
        'create the generator on that device: torch.Generator(device="cuda")'
    ]


GIB = 1 << 30
MEMORY = {
    "weights": ({"parameters": 3, "gradients": 2, "optimizer": 1}, "", "v100", [
        "3.00 GiB of parameters: load them in float16, or split the model over more devices",
        "2.00 GiB of gradients: train fewer parameters (LoRA), or in float16, or shard them (FSDP, ZeRO-2)"]),
    "weights, where bfloat16 is native": ({"parameters": 3}, "float32", "a100", [
        "3.00 GiB of parameters: load them in bfloat16, or split the model over more devices"]),
    "weights in half": ({"parameters": 3, "gradients": 2}, "bfloat16", "a100", [
        "3.00 GiB of parameters: they are in bfloat16 already: quantize them, or split the model over more devices",
        "2.00 GiB of gradients: train fewer parameters (LoRA), or shard them (FSDP, ZeRO-2)"]),
    "weights in the other half": ({"parameters": 3}, "float16", "a100", [
        "3.00 GiB of parameters: they are in float16 already: quantize them, or split the model over more devices"]),
    "activations": ({"activations": 2, "temporaries": 3, "optimizer": 1}, "", "v100", [
        "3.00 GiB of temporaries: use a fused optimizer (fused=True), or make batch or resolution smaller",
        "2.00 GiB of activations: checkpoint them, or make batch or resolution smaller"]),
    "nothing of a kind": ({}, "", "v100", []),
}  # fmt: skip


@pytest.mark.parametrize("case", MEMORY)
def test_the_two_largest_parts_are_to_be_made_smaller(case):
    parts, weights, machine, fixes = MEMORY[case]
    held = Memory(
        device="cuda:1",
        capacity=16 * GIB,
        peak=24 * GIB,
        **{name: n * GIB for name, n in parts.items()},
    )
    broken = Violation(
        kind="memory",
        odd=(),
        expected="cuda:1",
        error="CUDA out of memory. …",
        value=weights,
    )
    (finding,) = judge(
        traces.trace(
            call("sqrt", [], broken, at(8)), machine=machine, memory=(HELD, held)
        )
    )
    assert (
        finding.message
        == "cuda:1 has 16.00 GiB of memory, tensors need 24.00 GiB at the peak"
    )
    assert [(fix.title, fix.safe) for fix in finding.fixes] == [
        (title, False) for title in fixes
    ]
    assert (
        judge(
            traces.trace(
                call("sqrt", [], broken, at(8)), machine=machine, memory=(HELD,)
            )
        )
        == ()
    )


def test_findings_that_cannot_be_folded_are_told_as_they_were_found(monkeypatch):
    def broken(*_):
        raise ValueError("bad")

    trace = traces.trace(traces.linear())
    monkeypatch.setattr("miscast.judging.rules.folded", broken)
    failures = Failures()
    assert [one.rule for one in judge(trace, failures)] == ["operand-dtype-mismatch"]
    assert "ValueError: bad" in failures.line
    with pytest.raises(ValueError, match="bad"):
        judge(trace)
