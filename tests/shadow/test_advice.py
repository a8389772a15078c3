"""What a finding of a real run says of its operand, and which edit it shows: those of `check` for the same fault."""

from __future__ import annotations

import json
import linecache
import textwrap
from functools import partial

import pytest
import torch

import miscast
from miscast.core.finding import Finding
from miscast.judging.findings.lossy import ways_out
from miscast.report import json as as_json, sarif
from miscast.report.rule_page import of_losses
from miscast.report.suppressions import suppressions
from miscast.suppression.accounting import Accounting
from traces import at, operand

TOTAL = """
    import torch

    total = torch.zeros((), dtype=torch.bfloat16)
    for _ in range(600):
        total = total + torch.ones((), dtype=torch.bfloat16)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A function that runs a source as the file program.py of an empty folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "program.py"

    def runs(source):
        file.write_text(textwrap.dedent(source), encoding="utf-8")
        linecache.checkcache(str(file))
        code = compile(file.read_text(encoding="utf-8"), str(file), "exec")
        return partial(exec, code, {"__name__": "__main__"})

    return runs


def shown(report):
    """The report as text, its findings only."""
    return str(report).partition("\n\n")[0]


def test_the_operand_its_origin_and_the_edit_are_told(program):
    report = miscast.shadow(program(TOTAL))
    (found,) = report.findings
    (one,) = found.operands
    assert (found.rule, found.blamed, found.wanted) == ("sum-stalls", "self", "float32")
    assert (one.name, one.dtype, one.device, one.shape) == ("self", "bfloat16", "cpu", ())
    assert (one.dtype_origin.kind, one.dtype_origin.location.line) == ("born", 4)
    (edit,) = found.fixes
    assert edit.title == "replace `dtype=torch.bfloat16` with `dtype=torch.float32` at program.py:4"
    (change,) = edit.edits
    assert (change.start_line, change.replacement) == (4, "total = torch.zeros((), dtype=torch.float32)")
    assert not any((edit.verified, edit.safe))
    text = shown(report)
    assert "self    bfloat16  created at program.py:4" in text
    assert "help    replace `dtype=torch.bfloat16` with `dtype=torch.float32` at program.py:4 (not" in text


def test_every_format_has_them(program):
    report = miscast.shadow(program(TOTAL))
    (found,) = json.loads(as_json.render(report))["findings"]
    assert found["operands"][0]["origin"]["line"] == 4
    assert found["fixes"][0]["edits"][0]["start_line"] == 4
    (result,) = json.loads(sarif.render(report))["runs"][0]["results"]
    assert result["properties"]["operands"] == [{"name": "self", "dtype": "bfloat16", "device": "cpu"}]
    assert "Help: replace `dtype=torch.bfloat16`" in result["message"]["text"]
    assert [one["physicalLocation"]["region"]["startLine"] for one in result["relatedLocations"]] == [4]


SAME = {
    "a total": TOTAL,
    "squares": """
        import torch

        x = torch.full((4, 8), 200.0, dtype=torch.float16)
        y = x * 2
        z = y.pow(2).mean(-1)
    """,
    "positions": """
        import torch

        t = torch.arange(1000).to(torch.bfloat16)
        kept = t + 1
    """,
    "bytes": """
        import torch

        first = torch.zeros(8, dtype=torch.uint8)
        second = torch.full((8,), 200, dtype=torch.uint8)
        difference = first - second
    """,
    "an image": """
        import torch

        image = torch.rand(3, 32, 32).to(torch.uint8)
    """,
    "a matrix product": """
        import torch

        a = (torch.rand(64, 64) * 300 + 300).half()
        b = (torch.rand(64, 64) * 300 + 300).half()
        c = a @ b
    """,
    "an epsilon": """
        import torch

        x = torch.zeros(8, dtype=torch.float16)
        y = x + 1e-9
        z = x / y
    """,
}  # fmt: skip


def advice(report):
    """The id, line, operand and fixes of the first finding; the op of a product has another name inside of torch."""
    found = report.findings[0]
    fixes = [(fix.title.replace("bmm", "matmul").replace(" mm ", " matmul "), fix.edits) for fix in found.fixes]
    return found.rule, found.location.line, found.blamed, [one.dtype for one in found.operands], found.wanted, fixes


@pytest.mark.parametrize("name", SAME)
def test_check_and_a_shadow_say_the_same_of_one_fault(name, program):
    run = program(SAME[name])
    checked = miscast.check(run, machine="cpu", numerics=True)
    assert advice(miscast.shadow(run)) == advice(checked)


def test_one_fault_has_one_id_and_one_comment_on_every_surface(program):
    """`check`, `check --numerics` and a shadow: the comment suppresses each, and none calls it unused."""
    plain = program(TOTAL)
    runs = {
        "check": lambda run: miscast.check(run, machine="cpu"),
        "numerics": lambda run: miscast.check(run, machine="cpu", numerics=True),
        "shadow": miscast.shadow,
    }
    told = {name: [one.rule for one in how(plain).findings] for name, how in runs.items()}
    assert told == {name: ["sum-stalls"] for name in runs}
    for named in ("sum-stalls", "update-absorbed", "integer-rounds"):
        lines = TOTAL.rstrip().splitlines()
        run = program("\n".join([*lines[:-1], f"{lines[-1]}  # miscast: ignore[{named}] a progress bar", ""]))
        for name, how in runs.items():
            report = Accounting().of(how(run), of_losses)
            section = suppressions(report)
            assert (name, report.findings, section.unused, len(section.suppressed)) == (name, (), (), 1)


def test_an_operand_keeps_its_origin_through_ops_and_modules(program):
    report = miscast.shadow(program("""
        import torch

        net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).half()
        for one in net.parameters():
            torch.nn.init.constant_(one, 300.0)
        y = net(torch.full((2, 4), 10.0, dtype=torch.float16)).view(-1)
        with torch.no_grad():
            z = y[1:].clone() * 100
            loss = z.square().sum()
    """))
    found = next(one for one in report.findings if one.rule == "number-overflows")
    origin = found.operands[0].dtype_origin
    assert (found.location.line, origin.kind, origin.location.line) == (9, "born", 7)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_an_operand_without_plain_memory_has_no_origin_and_does_no_harm():
    def run():
        nested = torch.nested.nested_tensor([torch.rand(2, 3), torch.rand(3, 3)]).half()
        torch.func.vmap(lambda x: x.half() * 300)(torch.full((3, 2), 300.0))
        return torch.nested.to_padded_tensor(nested * 2, 0.0).sum()

    report = miscast.shadow(run)
    assert (report.failed, report.notes) == (None, ())
    assert [one.rule for one in report.findings] == ["number-overflows"]


def test_no_line_is_told_of_an_operand_in_a_backward_pass(program):
    report = miscast.shadow(program("""
        import torch

        w = torch.ones(64, dtype=torch.float16, requires_grad=True)
        (w * 1e-4).sum().float().mul(1e-4).backward()
    """))
    backward = [one for one in report.findings if one.phase == "backward"]
    assert [(one.rule, one.operands, one.blamed) for one in backward] == [("number-underflows", (), "")]
    assert "GradScaler" in backward[0].fixes[0].title


def test_a_weight_is_not_widened_alone(program):
    report = miscast.shadow(program("""
        import torch

        net = torch.nn.Linear(8, 8).bfloat16()
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-7)
        for _ in range(12):
            net(torch.ones(4, 8).bfloat16()).float().square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    """))
    found = next(one for one in report.findings if one.rule == "half-parameters-without-master")
    assert [(one.name, one.dtype_origin.location.line) for one in found.operands] == [("param", 4)]
    assert found.fixes[0].title.startswith("keep trained parameters in float32, at program.py:4")
    assert not any(fix.edits for fix in found.fixes)


def test_what_another_layer_takes_is_not_widened_at_its_line(program):
    report = miscast.shadow(program("""
        import torch
        import torch.nn.functional as F

        torch.manual_seed(0)
        net = torch.nn.Linear(64, 30000).bfloat16()
        x = torch.randn(8, 64).bfloat16()
        target = torch.randint(0, 30000, (8,))
        logits = net(x)
        loss = F.cross_entropy(logits, target)
    """))
    found = next(one for one in report.findings if one.rule == "loss-rounds")
    assert [fix.title for fix in found.fixes] == ["cast `logits` at program.py:10: .to(torch.float32)"]


def test_without_a_source_the_advice_is_in_words():
    run = partial(exec, compile(textwrap.dedent(SAME["squares"]), "<made>", "exec"), {})
    found = miscast.shadow(run).findings[0]
    assert [fix.title for fix in found.fixes] == ["cast `self` before pow at <made>:6: .to(torch.float32)"]


def test_a_failure_of_the_proposer_loses_no_finding(program, monkeypatch):
    def fails(*_):
        raise KeyError("x")

    monkeypatch.setattr("miscast.numbers.values.session.advised", fails)
    report = miscast.shadow(program(TOTAL))
    assert [one.rule for one in report.findings] == ["sum-stalls"]
    assert "KeyError" in report.failed


HALF = partial(torch.full, dtype=torch.float16)
CALLS = {
    "add": (HALF((4,), 2.0), HALF((4,), 2.0)),
    "mul": (HALF((4,), 2.0), HALF((4,), 2.0)),
    "pow": (HALF((4,), 2.0), 2),
    "clamp": (HALF((4,), 2.0), 0),
    "sum": (HALF((4,), 2.0),),
    "cumsum": (HALF((4,), 2.0), 0),
    "softmax": (HALF((4,), 2.0), 0),
    "cross_entropy_loss": (HALF((4, 4), 2.0), torch.zeros(4, dtype=torch.int64)),
    "mm": (HALF((4, 4), 2.0), HALF((4, 4), 2.0)),
    "bmm": (HALF((1, 4, 4), 2.0), HALF((1, 4, 4), 2.0)),
    "matmul": (HALF((4, 4), 2.0), HALF((4, 4), 2.0)),
    "mv": (HALF((4, 4), 2.0), HALF((4,), 2.0)),
    "dot": (HALF((4,), 2.0), HALF((4,), 2.0)),
    "addmm": (HALF((4, 4), 2.0), HALF((4, 4), 2.0), HALF((4, 4), 2.0)),
    "linear": (HALF((4, 4), 2.0), HALF((4, 4), 2.0)),
    "conv2d": (HALF((1, 1, 4, 4), 2.0), HALF((1, 1, 2, 2), 2.0)),
    "index_add": (HALF((4,), 2.0), 0, torch.arange(4), HALF((4,), 2.0)),
    "lerp": (HALF((4,), 2.0), HALF((4,), 2.0), HALF((4,), 2.0)),
}  # fmt: skip


@pytest.mark.parametrize("op", CALLS)
def test_one_operand_is_cast_where_torch_takes_that(op):
    """What help says of a cast is held against torch, by the op's own schema."""
    overloads = getattr(torch.ops.aten, op)
    first, *others = CALLS[op]
    schema = next(getattr(overloads, name)._schema for name in overloads.overloads())
    name = schema.arguments[0].name
    finding = Finding(
        rule="number-overflows", severity="warning", message="", op=op, phase="program", wanted="float32",
        location=at(8), operands=(operand(name, "float16"),), blamed=name,
    )  # fmt: skip
    (fix,) = ways_out("{cast}", finding)
    try:
        overloads(first.float(), *others)
    except RuntimeError:
        assert fix.title.startswith(f"cast the operands before {op} at ")
    else:
        assert fix.title.startswith(f"cast `{name}` before {op} at ")
