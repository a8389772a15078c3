"""Training loops with a GradScaler, right and wrong, in the styles that programs have. They run on real torch, too."""

from __future__ import annotations

import textwrap

_BEGIN = """
import torch
from torch import nn
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.Linear(16, 4)).to(device)
other = nn.Linear(16, 4).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
second = torch.optim.SGD(other.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler(device)
x = torch.randn(8, 16, device=device)


def losses(*models):
    with torch.autocast(device, dtype=torch.float16):
        return sum(model(x).float().square().mean() for model in models)


def finite(model):
    return all(bool(torch.isfinite(p.grad).all()) for p in model.parameters())


for step in range(4):
"""
_BACK = """
scaler.scale(losses(net)).backward()
"""
_STEP = """
scaler.step(optimizer)
scaler.update()
"""
_ZEROES = {
    "zero_grad": "optimizer.zero_grad()",
    "zero_grad in place": "optimizer.zero_grad(set_to_none=False)",
    "of the module": "net.zero_grad(set_to_none=False)",
    "None": "for p in net.parameters():\n    p.grad = None",
    "zero_": "for p in net.parameters():\n    p.grad.zero_()",
    "data": "for p in net.parameters():\n    p.grad.data.zero_()",
    "detach_": "for p in net.parameters():\n    p.grad.detach_()\n    p.grad.zero_()",
    "fill_": "for p in net.parameters():\n    p.grad.fill_(0)",
    "fill_ with a tensor": "for p in net.parameters():\n    p.grad.fill_(torch.zeros((), device=device))",
    "mul_": "for p in net.parameters():\n    p.grad.mul_(0)",
    "times": "with torch.no_grad():\n    for p in net.parameters():\n        p.grad *= 0.0",
    "copy_": "for p in net.parameters():\n    p.grad.copy_(torch.zeros_like(p))",
    "new zeros": "for p in net.parameters():\n    p.grad = torch.zeros_like(p)",
    "item": "for p in net.parameters():\n    p.grad[...] = 0",
    "slice": "for p in net.parameters():\n    p.grad[:] = 0.0",
    "masked_fill_": "for p in net.parameters():\n    p.grad.masked_fill_(torch.ones_like(p, dtype=torch.bool), 0)",
    "sub_": "for p in net.parameters():\n    p.grad.sub_(p.grad.clone())",
    "foreach": "torch._foreach_zero_([p.grad for p in net.parameters()])",
    "foreach mul": "torch._foreach_mul_([p.grad for p in net.parameters()], 0.0)",
    "foreach copy": "grads = [p.grad for p in net.parameters()]\n"
    "torch._foreach_copy_(grads, [torch.zeros_like(g) for g in grads])",
    "init": "for p in net.parameters():\n    nn.init.zeros_(p.grad)",
    "a set": "for p in net.parameters():\n    p.grad.set_(torch.zeros_like(p))",
    "vectors": "nn.utils.vector_to_parameters(torch.zeros(sum(p.numel() for p in net.parameters()), device=device), "
    "[p.grad for p in net.parameters()])",
}
RIGHT = {
    **{f"zeroed by {name}": _BACK + _STEP + code for name, code in _ZEROES.items()},
    **{
        f"zeroed before, by {name}": "if step:\n" + textwrap.indent(code, "    ") + _BACK + _STEP
        for name, code in _ZEROES.items()
        if name in ("zero_", "None", "foreach", "mul_")
    },
    "not finite: left out": _BACK
    + """
scaler.unscale_(optimizer)
if not finite(net) or step == 1:
    optimizer.zero_grad()
    scaler.update()
    continue
nn.utils.clip_grad_norm_(net.parameters(), 1.0)
"""
    + _STEP
    + "optimizer.zero_grad()",
    "not finite: left out, zeroed in place": _BACK
    + """
scaler.unscale_(optimizer)
norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
if not torch.isfinite(norm) or step == 1:
    for p in net.parameters():
        p.grad.zero_()
    scaler.update()
    continue
"""
    + _STEP
    + "optimizer.zero_grad(set_to_none=False)",
    "loss not finite: no backward": """
loss = losses(net)
if not torch.isfinite(loss) or step == 1:
    optimizer.zero_grad()
    continue
scaler.scale(loss).backward()
"""
    + _STEP
    + "optimizer.zero_grad()",
    "accumulated": _BACK
    + """
if step % 2:
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
""",
    "two optimizers, one loss": """
scaler.scale(losses(net, other)).backward()
for one in (optimizer, second):
    scaler.unscale_(one)
    nn.utils.clip_grad_norm_(one.param_groups[0]["params"], 1.0)
for one in (optimizer, second):
    scaler.step(one)
    one.zero_grad()
scaler.update()
""",
    "two losses in turns": """
scaler.scale(losses(other)).backward()
scaler.unscale_(second)
nn.utils.clip_grad_value_(other.parameters(), 1.0)
scaler.step(second)
second.zero_grad()
scaler.scale(losses(net)).backward()
scaler.step(optimizer)
optimizer.zero_grad()
scaler.update()
""",
    "two losses, two scalers": """
if step == 0:
    scalers = [scaler, torch.amp.GradScaler(device)]
for one, model, its in ((optimizer, net, scalers[0]), (second, other, scalers[1])):
    one.zero_grad()
    its.scale(losses(model)).backward()
    its.step(one)
    its.update()
""",
    "one trains scaled, the other in float32": """
scaler.scale(losses(net)).backward()
scaler.step(optimizer)
scaler.update()
optimizer.zero_grad()
other(x).square().mean().backward()
second.step()
second.zero_grad()
""",
    "two backward passes": """
scaler.scale(losses(net)).backward()
scaler.scale(losses(net) * 0.1).backward()
"""
    + _STEP
    + "optimizer.zero_grad()",
    "one optimizer every other step": """
scaler.scale(losses(net, other)).backward()
scaler.step(optimizer)
optimizer.zero_grad()
if step % 2:
    scaler.step(second)
    second.zero_grad(set_to_none=False)
scaler.update()
""",
    "the scale is taken off by hand": _BACK
    + """
with torch.no_grad():
    for p in net.parameters():
        p.grad.mul_(1 / scaler.get_scale())
        p.sub_(p.grad, alpha=1e-3)
        p.grad.zero_()
""",
    "an optimizer of its own": """
if step == 0:
    class Plain:
        param_groups = [{"params": list(net.parameters()), "lr": 1e-3}]
        @torch.no_grad()
        def step(self):
            for p in self.param_groups[0]["params"]:
                p -= 1e-3 * p.grad
    plain = Plain()
scaler.scale(losses(net)).backward()
scaler.unscale_(plain)
nn.utils.clip_grad_norm_(net.parameters(), 1.0)
scaler.step(plain)
scaler.update()
for p in net.parameters():
    p.grad.mul_(0)
""",
    "a closure's loss": """
def closure():
    optimizer.zero_grad()
    loss = losses(net)
    scaler.scale(loss).backward()
    return loss
closure()
"""
    + _STEP,
    "a first step without a scaler": """
if step == 0:
    net(x).square().mean().backward()
    optimizer.step()
else:
    scaler.scale(losses(net)).backward()
    scaler.step(optimizer)
    scaler.update()
optimizer.zero_grad()
""",
    "asked for with autograd.grad": """
loss = losses(net)
scale = scaler.get_scale()
grads = torch.autograd.grad(scaler.scale(loss), net.parameters(), create_graph=True)
penalty = sum((g / scale).square().sum() for g in grads)
scaler.scale(loss + penalty).backward()
"""
    + _STEP
    + "optimizer.zero_grad()",
    "a step that overflowed is looked for": """
before = scaler.get_scale()
scaler.scale(losses(net)).backward()
scaler.step(optimizer)
scaler.update()
if scaler.get_scale() >= before:
    pass
optimizer.zero_grad()
""",
}
WRONG = {
    "clipped while scaled": _BACK + "nn.utils.clip_grad_norm_(net.parameters(), 1.0)" + _STEP + "optimizer.zero_grad()",
    "clipped by value while scaled": _BACK
    + "nn.utils.clip_grad_value_(net.parameters(), 1.0)"
    + _STEP
    + "optimizer.zero_grad()",
    "stepped again": _BACK + _STEP + "optimizer.step()\noptimizer.zero_grad()",
    "stepped again, two in turns": """
scaler.scale(losses(other)).backward()
scaler.step(second)
scaler.scale(losses(net)).backward()
scaler.step(optimizer)
scaler.update()
optimizer.step()
second.step()
optimizer.zero_grad()
second.zero_grad()
""",
    "stepped again, unscaled and clipped": """
for one, model in ((second, other), (optimizer, net)):
    one.zero_grad()
    scaler.scale(losses(model)).backward()
    scaler.unscale_(one)
    nn.utils.clip_grad_value_(model.parameters(), 1.0)
    scaler.step(one)
scaler.update()
optimizer.step()
second.step()
""",
    "stepped with scaled gradients": _BACK + "optimizer.step()\nscaler.update()\noptimizer.zero_grad()",
    "stepped past the scaler": _BACK
    + "scaler.unscale_(optimizer)\noptimizer.step()\nscaler.update()\noptimizer.zero_grad()",
    "never zeroed": "optimizer.zero_grad()\n" + _BACK + _STEP + _BACK + _STEP,
    "zeroed in part": _BACK + _STEP + "net[0].weight.grad.zero_()",
    "unscaled, then more": _BACK + "scaler.unscale_(optimizer)\n" + _BACK + _STEP + "optimizer.zero_grad()",
    "divided by hand, and by the scaler": _BACK
    + "for p in net.parameters():\n    p.grad /= scaler.get_scale()\n"
    + _STEP
    + "optimizer.zero_grad()",
    "one loss of two is not scaled": """
scaler.scale(losses(net)).backward()
losses(net).backward()
"""
    + _STEP
    + "optimizer.zero_grad()",
    "a step of its own with scaled gradients": _BACK
    + """
with torch.no_grad():
    for p in net.parameters():
        p -= 1e-3 * p.grad
        p.grad = None
""",
}
REFUSED = {
    "frozen": ("[p.requires_grad_(False) for p in other.parameters()]" + _BACK + "scaler.step(second)", "are frozen"),
    "not reached": (_BACK + "scaler.step(second)", "the backward pass reached none of its 2"),
    "unscaled, not reached": (_BACK + "scaler.unscale_(second)\nscaler.step(second)", "reached none of its 2"),
    "no backward pass": ("scaler.scale(losses(net))\nscaler.step(optimizer)", "no backward pass since"),
    "zeroed too early": (_BACK + "optimizer.zero_grad()" + _STEP, "set to None after the backward pass"),
    "unscaled twice": (_BACK + "scaler.unscale_(optimizer)\nscaler.unscale_(optimizer)", "unscale_ is called twice"),
    "unscaled for each micro-batch": (
        (_BACK + "scaler.unscale_(optimizer)\nnn.utils.clip_grad_norm_(net.parameters(), 1.0)") * 2 + _STEP,
        "unscale_ is called twice",
    ),
    "unscaled after it": (_BACK + "scaler.step(optimizer)\nscaler.unscale_(optimizer)", "is called after scaler.step"),
    "no update": (_BACK + "scaler.step(optimizer)\noptimizer.zero_grad()", "scaler.step is called twice"),
    "updated without a step": (_BACK + "scaler.update()\noptimizer.zero_grad()", "is called without a scaler.step"),
}
"""Loops that torch refuses, and a part of what is told."""


def program(body: str) -> str:
    """Return the whole program of a loop's body."""
    return _BEGIN + textwrap.indent(body, "    ")
