"""A precision loss is reported in each form that torch has for it, and its right twin is not.

A program is written once, with `{…}` where the faulty form and the right one differ.
"""

from __future__ import annotations

import textwrap
from functools import partial

import pytest

import miscast
from shadowed import plain
from sweep import sweep

ADDED = {
    "x = x + d": "x = x + d",
    "x += d": "x += d",
    "add_": "x.add_(d)",
    "add_ with alpha": "x.add_(d, alpha=1)",
    "out=": "torch.add(x, d, out=x)",
    "index_add_": "x.index_add_(0, i, d)",
    "scatter_add_": "x.scatter_add_(0, i, d)",
    "scatter_reduce_": "x.scatter_reduce_(0, i, d, 'sum')",
    "index_put_": "x.index_put_((i,), d, accumulate=True)",
    "x[0] += d[0]": "x[0] += d[0]",
    "x[:] += d": "x[:] += d",
    "_foreach_add_": "torch._foreach_add_([x], [d])",
    "_foreach_sub_": "torch._foreach_sub_([x], [-d])",
    "addcmul_": "x.addcmul_(d, d)",
    "addr_": "x.unsqueeze(0).addr_(torch.ones_like(d[:1]), d)",
}
FULL = {"float32": 2.0**24, "bfloat16": 256.0, "float16": 2048.0}
IDS = {
    "float()": "{ids}.float()",
    "a list of integers beside a float": "torch.tensor([*{ids}.tolist(), 0.5])",
    "a list of floats": "torch.tensor([float(one) for one in {ids}.tolist()])",
    "as_tensor": "torch.as_tensor({ids}.tolist(), dtype=torch.float32)",
    "new_tensor": "torch.zeros(1).new_tensor({ids}.tolist())",
    "copy_": "torch.zeros(9).copy_({ids})",
    "a slice": "torch.zeros(2, 9)[0].copy_({ids})",
    "cat": "torch.cat([{ids}, torch.zeros(3)])",
    "stack": "torch.stack([{ids}, torch.zeros(9)])",
    "where": "torch.where({ids} > 0, {ids}, torch.zeros(9))",
    "times 1.0": "{ids} * 1.0",
    "divided": "{ids} / 2",
}
SCORES = "exact = torch.arange(400.).mul(7.7).sin() + 100\nscores = exact.to({dtype})\n"
CHOSEN = {
    "argsort": "scores.argsort()",
    "topk": "scores.topk(5).indices",
    "argmax": "scores.argmax()",
    "max": "scores.max(0).indices",
    "median": "scores.median(0).indices",
    "kthvalue": "scores.kthvalue(17).indices",
    "unique": "scores.unique()",
    "searchsorted": "torch.searchsorted(scores.sort().values, scores[:9])",
    "== max": "scores == scores.max()",
    "max ==": "scores.amax() == scores",
    "== a number": "scores == scores.max().item()",
    "!=": "scores.ne(scores.max())",
    ">=": "torch.where(scores >= scores.max(), 1, 0)",
    "< the k-th": "scores < scores.topk(10).values[-1]",
    "== of rows": "scores.view(4, 100) == scores.view(4, 100).max(1, keepdim=True)[0]",
    "== after float": "scores.float() == scores.float().max()",
    "== of pairs": "scores[:, None] == scores[None]",
}
UNCHANGED = {
    "values": "scores.view(4, 100).max(1).values",
    "values by place": "scores.view(4, 100).max(1)[0]",
    "values by name": "x, _ = scores.view(4, 100).max(1)",
    "a softmax": "(scores.view(4, 100) - scores.view(4, 100).max(1, keepdim=True)[0]).exp()",
    "a bound": "scores > 100.3",
    "a check": "bool((scores <= scores.max()).all() and (scores >= scores.min()).all())",
    "what came back": "(scores.float() == exact).float().mean()",
    "what changed": "(scores == (exact + 0.1).to(scores.dtype)).float().mean()",
    "ends": "(scores / scores.max() == 1).sum(), ((scores - 100).relu() == 0).sum()",
}
"""Uses of rounded numbers to which ties do no harm, or which are meant."""
COUNTED = {
    "buf[i] = buf[i] + 1": "buf[k % 4] = buf[k % 4] + 1",
    "buf[i] = buf[i] + 0.4": "buf[k % 4] = buf[k % 4] + 0.4",
    "buf[i] += 0.4": "buf[k % 4] += 0.4",
    "buf[i] += 1": "buf[k % 4] += 1",
    "buf[i].add_": "buf[k % 4].add_(1)",
    "buf[a:b]": "buf[k % 4 : k % 4 + 1] += 1",
    "buf[i, j]": "buf.view(2, 2)[0, k % 2] += 1",
    "a running total": "buf = buf if len(buf) > 4 else buf[0].repeat(200)\n    buf[k + 1] = buf[k] + 1",
}
WRITTEN = {
    "a number": "buf[k] = {start} + k",
    "a whole float": "buf[k] = float({start} + k)",
    "of a tensor": "buf[k] = torch.arange({start}, {start} + 40)[k]",
    "fill_": "buf[k].fill_({start} + k)",
    "a list": "one = torch.tensor({start} + k, dtype=buf.dtype)",
}
STEPPED = {
    "data -=": "p.data -= {rate} * p.grad",
    "data.add_": "p.data.add_(p.grad, alpha=-{rate})",
    "data =": "p.data = p.data - {rate} * p.grad",
    "copy_": "p.copy_(p - {rate} * p.grad)",
    "-=": "p -= {rate} * p.grad",
    "set_": "p.set_(p - {rate} * p.grad)",
    "out=": "torch.add(p, p.grad, alpha=-{rate}, out=p)",
    "in float32": "p.data.add_((-{rate} * p.grad.float()).to(p.dtype))",
    "_foreach_": "torch._foreach_add_([p.data], [p.grad], alpha=-{rate})",
    "a quotient": "p.data.addcdiv_(torch.ones_like(p), torch.full_like(p, 2.0), value=-{rate})",
    "decay": "p.data.mul_(1 - {rate})",
    "decay by -=": "p.data -= {rate} * p.data",
}
FAR = "x = torch.arange(800.).reshape(200, 4).sin() + {far}\n"
CANCELS = {
    "a variance": "v = (x * x).mean(0) - x.mean(0) ** 2",
    "in place": "v = x.pow(2).mean(0)\nv.sub_(x.mean(0).pow(2))",
    "running sums": "s, q = torch.zeros(4), torch.zeros(4)\nfor row in x.split(50):\n    s += row.sum(0)\n"
    "    q += (row * row).sum(0)\nv = q / len(x) - (s / len(x)) ** 2",
    "distances": "q = (x * x).sum(1)\nd = q[:, None] + q - 2 * x @ x.T",
    "distances, the other way round": "q = (x * x).sum(1)\nd = q[:, None] - 2 * torch.einsum('nd,md->nm', x, x) + q",
    "distances in place": "q = (x * x).sum(1)\nd = -2 * x @ x.T\nd += q[:, None]\nd += q",
    "addmm": "q = (x[:60] ** 2).sum(1)\nd = torch.addmm(q[:, None] + q, x[:60], x[:60].T, alpha=-2)",
    "cdist": "d = torch.cdist(x[:60], x[:60], compute_mode='use_mm_for_euclid_dist')",
}

UNKNOWN = {
    "variance of two sums": ("difference-cancels", """
    x = {far} + torch.randn(5000, 50)
    mean = x.sum(0) / len(x)
    y = (x * x).sum(0) / len(x) - mean * mean""", {"far": 1e5}, {"far": 3.0}),
    "log(1 + x)": ("difference-cancels", "y = torch.log(1 + {tiny} * torch.rand(500, 500))",
                   {"tiny": 1e-7}, {"tiny": 0.1}),
    "covariance by addr": ("difference-cancels", """
    x, y = torch.arange(50.)[:, None].mul(torch.tensor([1., 2.])) + {far}, torch.arange(50.)[:, None] + {far}
    y = torch.addr(x.T @ y / 50, x.mean(0), y.mean(0), alpha=-1)""", {"far": 5e5}, {"far": 1.0}),
    "prod": ("number-underflows", "y = torch.rand(500, {many}).prod(1)", {"many": 400}, {"many": 40}),
    "prod of a mask": ("number-underflows", "y = torch.rand(500, 400){less}.prod(1)",
                       {"less": ""}, {"less": ".gt(0.1).float()"}),
    "addmm_": ("sum-stalls", """
    y, x = torch.zeros(300, 300, dtype=torch.{dtype}), torch.rand(8, 300)
    for _ in range(80):
        y.addmm_(x.T.to(y.dtype), x.to(y.dtype))""", {"dtype": "bfloat16"}, {"dtype": "float32"}),
    "addmm_ of squares": ("sum-stalls", """
    y, x = torch.zeros(300, 300, dtype=torch.{dtype}), torch.randn(8, 300).bfloat16().float()
    for _ in range(80):
        z = x.to(y.dtype)
        y.addmm_(z.T, z)""", {"dtype": "bfloat16"}, {"dtype": "float32"}),
    "index_add_ of many": ("sum-stalls", """
    y, i = torch.zeros(9, dtype=torch.{dtype}), torch.randint(0, 9, (20000,))
    y.index_add_(0, i, torch.rand(20000).to(y.dtype))""", {"dtype": "bfloat16"}, {"dtype": "float32"}),
    "scatter_add of ones": ("sum-stalls", """
    i = torch.randint(0, 9, ({many},))
    y = torch.zeros(9).bfloat16().scatter_add(0, i, torch.ones({many}).bfloat16())""", {"many": 20000}, {"many": 900}),
    "floor(x + 0.5)": ("integer-rounds", "y = torch.floor((torch.rand(500, 500) * {most}).bfloat16() + 0.5)",
                       {"most": 255}, {"most": 60}),
    "(x + 0.5).long()": ("integer-rounds", "y = ((torch.rand(500, 500) * {most}).bfloat16() + 0.5).long()",
                         {"most": 255}, {"most": 60}),
    "instants": ("integer-rounds", "y = (1.76e9 + torch.arange(40.).double() * 2.5{less}).float()",
                 {"less": ""}, {"less": " - 1.76e9"}),
    "instants of a list": ("integer-rounds", "y = torch.tensor([1.76e9 + 2.5 * n{less} for n in range(40)])",
                           {"less": ""}, {"less": " - 1.76e9"}),
    "chances above 0.999": ("constant-vanishes", "y = (torch.randn(300, 300).{dtype}().softmax(1) > 0.999).sum()",
                            {"dtype": "bfloat16"}, {"dtype": "double"}),
    "counts of large keys": ("integer-rounds", """
    keys, counts = (torch.randint(0, 90000, (9000,)) * 80000).unique(return_counts=True)
    y = {of}.float()""", {"of": "keys"}, {"of": "counts"}),
    "counts in int16": ("integer-wraps", """
    y, i = torch.zeros(9, dtype=torch.{dtype}), torch.randint(0, 9, (200000,))
    for _ in range(3):
        y.index_put_((i,), torch.ones(200000, dtype=y.dtype), accumulate=True)""",
                        {"dtype": "int16"}, {"dtype": "int32"}),
    "a total of losses": ("sum-stalls", """
    net, y = torch.nn.Linear(300, 300), torch.zeros((), dtype=torch.{dtype})
    torch.nn.init.sparse_(net.weight, 0.5)
    for _ in range(80):
        y += torch.nn.functional.l1_loss(net(torch.randn(500, 300)), torch.zeros(500, 300)).detach().to(y.dtype)
    """, {"dtype": "bfloat16"}, {"dtype": "float32"}),
    "bytes": ("precision-not-held", """
    x = torch.ones(9).to({dtype}).view(torch.uint8)
    y = x[2:].clone().view(torch.float8_e5m2)""",
              {"dtype": "torch.float8_e4m3fn"}, {"dtype": "torch.float8_e5m2"}),
    "bytes of halves": ("precision-not-held", "y = torch.ones(9, dtype={dtype}).view(torch.float16)",
                        {"dtype": "torch.bfloat16"}, {"dtype": "torch.float32"}),
    "packed": ("precision-not-held", "y = torch.ones(8).to(torch.float8_e4m3fn).view({dtype}).view(torch.int32)",
               {"dtype": "torch.float4_e2m1fn_x2"}, {"dtype": "torch.uint8"}),
}  # fmt: skip
"""Of numbers that are not known: a program, what it is told, and what makes it wrong and right."""


def rules(source, **options):
    report = miscast.check(partial(plain, f"import torch\n{source}", "form"), machine="cpu", **options)
    assert report.failed is None
    assert report.ended is None
    return {finding.rule for finding in report.findings}


@pytest.mark.parametrize("dtype", FULL)
@sweep("form", ADDED)
def test_a_sum_stalls_in_each_form(form, dtype):
    source = textwrap.dedent("""
    x, d, i = torch.full((8,), {{start}}, dtype=torch.{0}), torch.ones(8, dtype=torch.{0}), torch.arange(8)
    for _ in range(40):
        {1}
    """).format(dtype, ADDED[form])
    assert rules(source.format(start=FULL[dtype])) & {"sum-stalls", "update-absorbed"}
    assert rules(source.format(start=1.0)) == set()


@sweep("form", IDS)
def test_ids_are_rounded_in_each_form(form):
    source = "ids = torch.arange({start}, {start} + 9)\nx = " + IDS[form].replace("{ids}", "ids")
    assert rules(source.format(start=2**24 + 1)) == {"integer-rounds"}
    assert rules(source.format(start=101)) == set()


@sweep("form", CHOSEN)
def test_a_choice_falls_by_rounding_in_each_form(form):
    source = f"{SCORES}x = {CHOSEN[form]}"
    assert rules(source.format(dtype="torch.bfloat16")) == {"choice-by-rounding"}
    assert rules(source.format(dtype="torch.float32")) == set()


@sweep("form", UNCHANGED)
def test_what_ties_do_not_change_is_no_choice(form):
    assign = "" if "= " in UNCHANGED[form][:6] else "x = "
    assert rules(f"{SCORES}{assign}{UNCHANGED[form]}".format(dtype="torch.bfloat16")) == set()


@pytest.mark.parametrize("dtype", FULL)
@sweep("form", COUNTED)
def test_a_sum_of_one_number_stalls_in_each_form(form, dtype):
    source = f"buf = torch.full((4,), {{start}}, dtype=torch.{dtype})\nfor k in range(120):\n    {COUNTED[form]}"
    assert rules(source.format(start=FULL[dtype])) & {"sum-stalls", "update-absorbed"}
    assert rules(source.format(start=1.0)) == set()


def test_each_number_that_is_added_to_once_is_no_sum():
    source = "buf = torch.ones(200, dtype=torch.bfloat16)\nfor k in range(200):\n    buf[k] += 0.1 + k / 800"
    assert rules(source, numerics=True) == set()


@pytest.mark.parametrize("dtype", FULL)
@sweep("form", WRITTEN)
def test_ids_are_written_one_at_a_time_in_each_form(form, dtype):
    source = f"buf = torch.zeros(40, dtype=torch.{dtype})\nfor k in range(40):\n    {WRITTEN[form]}"
    assert rules(source.format(start=int(FULL[dtype]) + 1)) == {"integer-rounds"}
    assert rules(source.format(start=11)) == set()


def test_sentinels_are_no_ids():
    assert rules("x = torch.zeros(9).half()\nfor k in range(9):\n    x[k] = -10000 if k % 2 else 60000") == set()


@sweep("form", STEPPED)
def test_a_step_by_hand_changes_no_weight_in_each_form(form):
    source = textwrap.dedent("""
    p = torch.nn.Parameter(torch.full((16,), 0.75, dtype={{dtype}}))
    for _ in range(3):
        p.grad = None
        (p * torch.linspace(0.1, 0.9, 16).to(p.dtype)).sum().backward()
        with torch.no_grad():
            {0}
    """).format(STEPPED[form])
    assert rules(source.format(dtype="torch.bfloat16", rate=1e-3), numerics=True) == {"update-absorbed"}
    assert rules(source.format(dtype="torch.bfloat16", rate=0.1), numerics=True) == set()
    assert rules(source.format(dtype="torch.float32", rate=1e-3), numerics=True) == set()


@sweep("form", CANCELS)
def test_a_difference_cancels_in_each_form(form):
    source = FAR + CANCELS[form]
    assert rules(source.format(far=5e5), numerics=True) == {"difference-cancels"}
    assert rules(source.format(far=0.5), numerics=True) == set()


@sweep("form", UNKNOWN)
def test_what_is_usual_decides_where_numbers_are_unknown(form):
    rule, source, wrong, right = UNKNOWN[form]
    source = textwrap.dedent(source)
    assert rules(source.format(**wrong), numerics=True) - {"dtype-not-on-machine"} == {rule}
    assert rules(source.format(**right), numerics=True) - {"dtype-not-on-machine"} == set()


LINEAR = """
A, x, d = torch.eye(8) * 4 + torch.arange(64.).sin().reshape(8, 8), torch.zeros(8), torch.full((8,), 4.5)
b = A @ (torch.arange(8.).cos() * 100)
{solve}
r = {residual}
print(r.norm() / b.norm())
"""
SOLVED = {"a solver": "x = torch.linalg.solve(A, b)", "a loop": "for _ in range(90):\n    x = x + (b - A @ x) / d"}
RESIDUALS = {
    "@": "b - A @ x",
    "turned round": "A @ x - b",
    "in place": "(A @ x).sub_(b)",
    "mv": "b.sub(torch.mv(A, x))",
    "addmv": "torch.addmv(b, A, x, alpha=-1)",
    "addmm": "torch.addmm(b[:, None], A, x[:, None], alpha=-1)",
    "baddbmm": "torch.baddbmm(b[None, :, None], A[None], x[None, :, None], alpha=-1)",
    "einsum": "b - torch.einsum('ij,j->i', A, x)",
    "linear": "b - torch.nn.functional.linear(x, A)",
    "of a factorization": "torch.linalg.qr(A).Q @ torch.linalg.qr(A).R - A",
}
AT_REST = {
    "a stencil": "lap = u[1:-1] - 0.5 * (u[2:] + u[:-2])\n    u[1:-1] -= 0.4 * lap",
    "three points": "lap = u[2:] - 2 * u[1:-1] + u[:-2]\n    u[1:-1] = u[1:-1] + 0.4 * lap",
    "weights": "lap = 0.3 * u[2:] + 0.4 * u[1:-1] + 0.3 * u[:-2] - u[1:-1]\n    u[1:-1] += lap",
    "five points": "v = u.view(8, 8)\n    n = 0.25 * (v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2])\n"
    "    v[1:-1, 1:-1] += 0.5 * (n - v[1:-1, 1:-1])",
    "rolled": "u = u + 0.4 * (u.roll(1) - 2 * u + u.roll(-1))",
    "a mean": "u = u - 0.1 * (u - u.mean())",
    "there and back": "gap = u * 1.1 - u * 1.1 + (u / 3 * 3 - u)",
}
COMPARED = {
    "softmax": "e = (x - x.amax(1, keepdim=True)).exp()\ngap = (e / e.sum(1, keepdim=True) - x.softmax(1)).abs().max()",
    "gelu": "gap = (torch.nn.functional.gelu(x) - 0.5 * x * (1 + torch.erf(x / 2**0.5))).norm()",
    "layer norm": "mine = (x - x.mean(1, keepdim=True)) / (x.var(1, False, keepdim=True) + 1e-5).sqrt()\n"
    "gap = (mine - torch.nn.functional.layer_norm(x, (6,))).square().mean()",
    "x - max": "top = (x.bfloat16().float() - x.bfloat16().float().max()) == 0",
    "isin": "same = torch.isin(x.bfloat16().float(), x.bfloat16().float().flatten()[:9])",
}


@pytest.mark.parametrize("solve", SOLVED)
@sweep("form", RESIDUALS)
def test_a_residual_that_is_solved_may_be_rounding(form, solve):
    assert rules(LINEAR.format(solve=SOLVED[solve], residual=RESIDUALS[form]), numerics=True) == set()


@pytest.mark.parametrize("start", ["torch.full((64,), 20.3)", "torch.ones(64) * 20.3", "torch.linspace(290, 310, 64)"])
@sweep("form", AT_REST)
def test_a_field_at_rest_may_stay(form, start):
    assert rules(f"u = {start}\nfor _ in range(60):\n    {AT_REST[form]}", numerics=True) == set()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_field_at_rest_in_half_may_stay(dtype):
    code = "u = torch.ones(64, dtype=torch.{}) * 20.3\nlap = u[1:-1] - 0.5 * (u[2:] + u[:-2])"
    assert rules(code.format(dtype), numerics=True) == set()


@sweep("form", COMPARED)
def test_two_ways_to_the_same_numbers_may_be_compared(form):
    assert rules(f"x = torch.arange(24.).sin().reshape(4, 6) * 3\n{COMPARED[form]}", numerics=True) == set()


KAHAN = """
total, rest = torch.zeros(8), torch.zeros(8)
for k in range(40):
    term = torch.full((8,), 0.1) - rest
    {sum}
    total = new
"""


@sweep("form", {"apart": "new = total + term\n    rest = (new - total) - term",
                "turned round": "new = total + term\n    rest = -((total - new) + term)"})  # fmt: skip
def test_a_compensated_sum_is_intended(form):
    forms = {"apart": "new = total + term\n    rest = (new - total) - term",
             "turned round": "new = total + term\n    rest = -((total - new) + term)"}  # fmt: skip
    assert rules(KAHAN.format(sum=forms[form]), numerics=True) == set()


ROUNDED_BACK = """
@torch.compile{how}
def lost(x, y, c):
    {code}

x, c = torch.linspace(1, 2, 64), torch.zeros(64).bfloat16()
for k in range(3):
    x_, c = lost(x, x.bfloat16() * 0.1, c)
"""
TAKEN_BACK = {
    "a split": "high = x.to(torch.bfloat16)\n    return high, (x - high.float()).to(torch.bfloat16)",
    "a split by promotion": "high = x.bfloat16()\n    return high, (x - high).bfloat16()",
    "a compensated sum": "s = x.bfloat16()\n    y = y - c\n    t = s + y\n    return t, (t - s) - y",
    "turned round": "s = x.bfloat16()\n    y = y + c\n    t = s + y\n    return t, -((t - s) - y)",
}
WHOLE = {
    "a difference of layers": "h = x.bfloat16() + y\n    return h, h - x.bfloat16()",
    "a sum in float32": "y = y.float() - c.float()\n    t = x + y\n    return t, ((t - x) - y).bfloat16()",
}


@sweep("form", TAKEN_BACK)
def test_compiled_code_rounds_nothing_to_be_taken_back(form):
    code = TAKEN_BACK[form]
    assert rules(ROUNDED_BACK.format(how="", code=code)) == {"precision-not-held"}
    for how in ('(backend="eager")', "(options=dict(emulate_precision_casts=True))"):
        assert rules(ROUNDED_BACK.format(how=how, code=code)) == set()


EAGER = """import torch
{how}
def split(x):
    high = x.to(torch.bfloat16)
    return high, x - high.float()

@torch.compile
def whole(x):
    high, low = split(x)
    return high.float() + low

y = whole(torch.linspace(1, 2, 64))
"""


@sweep("how", {how: how for how in ("disable", "disable()", "disable(recursive=False)")})
def test_code_that_a_compiler_leaves_out_rounds_as_written(how):
    report = miscast.check(partial(plain, EAGER.format(how=""), "form"), machine="cpu")
    assert [(one.rule, one.location.line) for one in report.findings] == [("precision-not-held", 5)]
    assert rules(EAGER.format(how=f"@torch.compiler.{how}")) == set()


BROKEN = """import torch

@torch.compile
def split(x):
    high = x.to(torch.bfloat16)
    {code}
    return high, x - high.float()

def log(x):
    print("mean", x.mean().item())

y = split(torch.linspace(1, 2, 64))
"""
BREAKS = {
    "print": "print('cast')",
    "item": "top = high.max().item()",
    "float": "top = float(x[0])",
    "if": "if x.sum() > 0:\n        x = x * 1",
    "tolist": "rows = x.tolist()",
    "nonzero": "rows = torch.nonzero(x)",
    "a call": "log(x)",
    "graph_break": "torch._dynamo.graph_break()",
}
GOES_ON = {"a shape": "n = x.shape[0]", "a product": "x = x * 1.5", "a loop": "for k in range(3):\n        x = x + k"}


@sweep("how", BREAKS)
def test_what_goes_over_a_graph_break_is_rounded(how):
    assert rules(BROKEN.format(code=BREAKS[how])) == set()


@sweep("how", GOES_ON)
def test_code_without_a_graph_break_is_one_region(how):
    code = GOES_ON[how].replace("x = x", "z = x")
    assert rules(BROKEN.format(code=code)) == {"precision-not-held"}
    before = BROKEN.format(code="pass").replace("    high =", "    print('cast')\n    high =")
    assert rules(before) == {"precision-not-held"}


def test_what_was_rounded_before_the_compiled_call_stays_rounded():
    source = "@torch.compile\ndef low(x, high):\n    return x - high.float()\n\nx = torch.linspace(1, 2, 64)\n"
    assert rules(f"{source}y = low(x, x.bfloat16())") == set()


@sweep("form", WHOLE)
def test_other_differences_are_the_same_in_compiled_code(form):
    assert "precision-not-held" not in rules(ROUNDED_BACK.format(how="", code=WHOLE[form]))


CLIPPED = """
w = torch.arange(4096.).mul(7.7).sin().reshape(64, 64) * torch.logspace(-3, 1, 64)[:, None]
scale = w.abs().amax(1, keepdim={right}) / {end}
q = {codes}
"""
CODES = {
    "float8": (448, "(w / scale).clamp(-448, 448).to(torch.float8_e4m3fn)"),
    "in place": (57344, "(w / scale).clamp_(-57344, 57344).to(torch.float8_e5m2)"),
    "int8": (127, "torch.clamp((w / scale).round(), -128, 127).to(torch.int8)"),
    "min and max": (127, "(w / scale).round().clip(min=-127, max=127).char()"),
}


@sweep("form", CODES)
def test_a_scale_of_another_axis_is_told_where_codes_are_clipped(form):
    end, codes = CODES[form]
    assert rules(CLIPPED.format(right=False, end=end, codes=codes)) == {"number-overflows"}
    assert rules(CLIPPED.format(right=True, end=end, codes=codes)) == set()


ROUNDED = """
w = torch.arange(4096.).mul(7.7).sin().reshape(64, 64)
w[:, 5] *= 60
scale = w.abs().amax({dim}, keepdim=True) / 7
q = {code}
"""


@pytest.mark.parametrize("code", ["(w / scale).round()", "(w / scale).round_().clamp_(-8, 7).char()"])
def test_rows_that_a_scale_of_others_leaves_nothing_of_are_told(code):
    assert rules(ROUNDED.format(dim="(0, 1)", code=code)) == {"number-underflows"}
    assert rules(ROUNDED.format(dim=0, code=code)) == set()


@pytest.mark.parametrize("clip", ["clamp(-8, 7)", "clamp(max=7)", "clamp_min(-8)", "clamp(-6, 6)"])
def test_codes_of_four_bits_are_told_where_they_are_clipped(clip):
    source = f"w = torch.arange(4096.).mul(7.7).sin() * {{most}}\nq = w.round().{clip}"
    assert rules(source.format(most=40)) == {"number-overflows"}
    assert rules(source.format(most=7)) == set()
    assert rules(source.format(most=40).replace(".round()", "")) == set()


def test_outliers_that_a_scale_leaves_out_are_meant():
    source = "w = torch.arange(4096.).sin()\nw[::64] *= 100\nq = (w * 127).round().clamp(-127, 127).char()"
    assert rules(source) == set()


OWN = """
class Adam(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {{}})

    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            state = self.state[p]
            if not state:
                state["m"], state["v"] = torch.zeros_like(p), torch.zeros_like(p)
            state["m"].mul_(0.9).add_(p.grad, alpha=0.1)
            {decay}
            p.addcdiv_(state["m"], state["v"].sqrt().add_(1e-3), value=-1e-2)

net = torch.nn.Linear(16, 16).to(torch.{dtype})
optimizer = Adam(net.parameters())
for _ in range(3):
    net(torch.randn(4, 16, dtype=torch.{dtype})).float().square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@sweep("decay", {"mul_": "", "_foreach_mul_": ""})
def test_the_programs_own_optimizer_is_watched(decay):
    decay = {"mul_": 'state["v"].mul_(0.999).addcmul_(p.grad, p.grad, value=0.001)',
             "_foreach_mul_": 'torch._foreach_mul_([state["v"]], 0.999)'}[decay]  # fmt: skip
    assert "update-absorbed" in rules(OWN.format(decay=decay, dtype="bfloat16"))
    assert rules(OWN.format(decay=decay, dtype="float32")) == set()
