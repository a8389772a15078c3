"""A precision loss is reported in each form that torch has for it, and its right twin is not.

A program is written once, with `{…}` where the faulty form and the right one differ.
"""

from __future__ import annotations

import textwrap

import pytest

import miscast
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
CHOSEN = {
    "argsort": "scores.argsort()",
    "topk": "scores.topk(5).indices",
    "argmax": "scores.argmax()",
    "max": "scores.max(0).indices",
    "median": "scores.median(0).indices",
    "kthvalue": "scores.kthvalue(17).indices",
    "unique": "scores.unique()",
    "searchsorted": "torch.searchsorted(scores.sort().values, scores[:9])",
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


def rules(source, **options):
    program = compile(f"import torch\n{source}", "/program/form.py", "exec")
    report = miscast.check(lambda: exec(program, {"__name__": "form"}), machine="cpu", **options)
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
    source = f"scores = (torch.arange(400.).mul(7.7).sin() + 100).to({{dtype}})\nx = {CHOSEN[form]}"
    assert rules(source.format(dtype="torch.bfloat16")) == {"choice-by-rounding"}
    assert rules(source.format(dtype="torch.float32")) == set()


@sweep("form", CANCELS)
def test_a_difference_cancels_in_each_form(form):
    source = FAR + CANCELS[form]
    assert rules(source.format(far=5e5), numerics=True) == {"difference-cancels"}
    assert rules(source.format(far=0.5), numerics=True) == set()


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
