"""What every check tells of lost numbers, without `--numerics`: where dtypes, constants and known numbers say so."""

from __future__ import annotations

import linecache
import traceback
from functools import partial

import pytest

import miscast
import scaler_loops

TRAINING = """
import torch
from torch import nn
net = nn.Linear(64, 64).cuda(){half}
optimizer = torch.optim.{optimizer}
scaler = torch.amp.GradScaler("cuda")
x = torch.randn(8, 64, device="cuda"){half}
"""
STEP = """
for _ in range(2):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = net(x).float().square().mean()
    {backward}
    optimizer.zero_grad()
"""


def trained(backward, optimizer="AdamW(net.parameters(), lr=1e-3)", half="", step=STEP):
    return TRAINING.format(optimizer=optimizer, half=half) + step.format(backward=backward)


PURE = """
for _ in range(2):
    net(x).float().square().mean().backward()
    optimizer.step()
"""
AVERAGE = """
import torch
class Ema:
    def __init__(self, net, decay):
        self.decay, self.steps = decay, 0
        self.kept = [p.clone().detach().to(torch.{dtype}) for p in net.parameters()]
    def step(self, net):
        self.steps += 1
        decay = min((1 + self.steps) / (10 + self.steps), self.decay)
        for old, new in zip(self.kept, net.parameters()):
            old.sub_((1 - decay) * (old - new.detach().to(old.dtype)))
net = torch.nn.Linear(64, 64)
ema = Ema(net, {decay})
ema.step(net)
"""
FROM_COPY = AVERAGE.replace("(1 + self.steps) / (10 + self.steps)", "float(self.steps > 1)")
PHASES = """
def phase(scaler):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = net(x).float().square().mean()
    scaler.scale(loss).backward()
    for p in net.parameters():
        p.grad.clamp_(-1, 1)
    scaler.step(optimizer); scaler.update(); optimizer.zero_grad()
phase(scaler)
phase(torch.amp.GradScaler("cuda"))
"""
POLICY = """
import torch
net, x = torch.nn.Linear(8, 3).half().cuda(), torch.randn(4, 8, device="cuda").half()
torch.distributions.Categorical({}).sample()
"""
CLIP = "torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)"
END = "scaler.step(optimizer); scaler.update()"
QUIET = "import torch, warnings\nwarnings.simplefilter('ignore')\n"
BACK = "scaler.scale(loss).backward()"
ROTARY = """
import torch
class Rotary(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("freqs", 1e4 ** (-torch.arange(0, 64, 2).float() / 64))
    def forward(self, positions):
        freqs = self.freqs[None, :, None].float()
        return (freqs @ positions[None, None, :].float()).transpose(1, 2).cos()
rotary = Rotary().{cast}
{between}
rotary(torch.arange({positions}))
"""
TIMES = """
import torch
sigmas = torch.linspace(1, 0, 101){cast}
times = sigmas.float() * {many}
freqs = torch.exp(-torch.arange(128) / 128 * 9.2)
{use}
"""
SCHEDULE = """
import torch
sigmas = torch.linspace(1.0, 0.003, 51, device="cuda", dtype={})[:-1]
sigmas = 5 * sigmas / (1 + 4 * sigmas)
for i in range(49):
    step = sigmas[i + 1] - sigmas[i]
"""
RELOADED = """
import copy, torch
class Own(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, dict(lr=1e-3))
    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            state = self.state[p]
            if not state:
                state["sum"] = torch.zeros_like(p, dtype=torch.{dtype})
            p.sub_(state["sum"].to(p.dtype))
net = torch.nn.Linear(4, 4){half}
optimizer = {optimizer}(net.parameters())
net(torch.randn(2, 4){half}).sum().backward()
optimizer.step()
saved = copy.deepcopy(optimizer.state_dict())
optimizer.load_state_dict(saved)
{after}
optimizer.step()
"""


def reloaded(dtype="float32", half=".bfloat16()", optimizer="Own", after=""):
    return RELOADED.format(dtype=dtype, half=half, optimizer=optimizer, after=after)


SCORES = "import torch\ntorch.manual_seed(0)\nscores = torch.rand(4000) * 0.1 + 0.9\nlow = scores.bfloat16()\n"
EIGHTS = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
TO_EIGHTS = "import torch\nx = torch.randn({size}) * {scale}\n" + "\n".join(f"x.to(torch.{one})" for one in EIGHTS)
REGION = "torch.autocast('cpu', dtype=torch.bfloat16{})"
IN_ONE_REGION = """
import torch
from contextlib import nullcontext
net = torch.nn.Linear(8, 1)
optimizer = torch.optim.{optimizer}(net.parameters(), lr=0.1)
with {outer}:
    for _ in range(3):
        with {inner}:
            loss = net(torch.randn(32, 8)).float().square().mean()
        loss.backward(); optimizer.step(); optimizer.zero_grad(); {then}
"""


def in_one_region(outer=None, inner="nullcontext()", then="pass", optimizer="SGD"):
    outer = outer or REGION.format("")
    return IN_ONE_REGION.format(outer=outer, inner=inner, then=then, optimizer=optimizer)


BOUNDS = "import torch\nb, x = torch.linspace(0.9, 1, 100).bfloat16(), torch.rand(9).bfloat16()\n"
SCHEDULE = "import torch\ns = torch.linspace(1, 0.003, 51, dtype=torch.{})\ns = 5 * s / (1 + 4 * s)\n"
DRAWN = "import torch\ndraws = torch.rand(64, 64, dtype=torch.{})\ndraws {}"
CHOICES = (
    "argsort(descending=True, stable=True)", "sort().indices", "topk(10)", "argmax()", "view(40, 100).argmin(1)",
    "max(0)", "kthvalue(30)", "unique()", "float().argsort()", "view(40, 100).topk(2, 0)",
)
FREQS = "freqs = 1 / 1e4 ** (torch.arange(0, 64, 2, dtype=torch.{}) / 64)\n"
HOOKS = "[p.register_hook(lambda g: {}) for p in net.parameters()]"
TOLD = {
    "hooks that bound scaled gradients": (
        trained(f"{HOOKS.format('g.clamp(-0.1, 0.1)')}; {BACK}; scaler.unscale_(optimizer); {END}"),
        ["scaler-misused"],
    ),
    "a norm compared with that of the weights before unscale_": (
        trained(f"{BACK}; net.weight.grad.norm() < net.weight.norm().clamp_min(1e-3) * 0.1; {END}"),
        ["scaler-misused"],
    ),
    "divided by the scale by hand, and by the scaler again": (
        trained(f"scaler.scale(loss).backward(); [p.grad.div_(scaler.get_scale()) for p in net.parameters()]; {END}"),
        ["scaler-misused"],
    ),
    "all at once divided by the scale by hand, and by the scaler again": (
        trained(
            f"{BACK}; torch._foreach_mul_([p.grad for p in net.parameters()], 1 / scaler.get_scale()); "
            f"{END}"
        ),
        ["scaler-misused"],
    ),
    "unscaled, and stepped past the scaler": (
        trained(f"{BACK}; scaler.unscale_(optimizer); {CLIP}; optimizer.step(); scaler.update()"),
        ["scaler-misused"],
    ),
    "a norm of scaled gradients is read": (
        trained(f"{BACK}; net.weight.grad.norm().item(); {END}"),
        ["scaler-misused"],
    ),
    "a scaled loss is read": (
        trained(f"loss = scaler.scale(loss); loss.backward(); {END}; loss.detach().item() < 3"),
        ["scaler-misused"],
    ),
    "the spread of one number": (QUIET + "y = torch.randn(4, 1).std(1)", ["nan-appears"]),
    "clipped before unscale_": (trained(f"scaler.scale(loss).backward(); {CLIP}; {END}"), ["scaler-misused"]),
    "clipped before unscale_, and a scaler for each of two phases": (trained("", step=PHASES), ["scaler-misused"]),
    "no scaler": (trained("del scaler; loss.backward(); optimizer.step(); scaler = 0"), ["scaler-misused"]),
    "pure bfloat16": (
        trained("", "AdamW(net.parameters(), lr=1e-5)", ".bfloat16()", PURE),
        ["half-parameters-without-master", "state-in-half"],
    ),
    "average in half": (
        "import torch\nold, new = torch.zeros(9000).half(), torch.randn(9000)\nold.mul_(0.9999).add_(new, alpha=1e-4)",
        ["update-absorbed", "update-absorbed"],
    ),
    "an average in half that warms up": (AVERAGE.format(dtype="bfloat16", decay=0.9999), ["update-absorbed"]),
    "one that begins with a copy": (FROM_COPY.format(dtype="bfloat16", decay=0.9999), ["update-absorbed"]),
    "the same of all at once": (
        AVERAGE.format(dtype="bfloat16", decay=0.9999)
        + "torch._foreach_sub_([net.weight.bfloat16()], [net.weight.bfloat16()], alpha=0.5)\n"
        + "Ema.step = lambda self, new: torch._foreach_sub_(self.kept, torch._foreach_sub(self.kept, new), alpha=0.8)\n"
        + "ema.step([p.detach().bfloat16() for p in net.parameters()])\n",
        ["update-absorbed", "update-absorbed"],
    ),
    "eps in half": ("import torch\nx = torch.randn(9000).half()\ny = x / (x.square() + 1e-8)", ["constant-vanishes"]),
    "positions in half": ("import torch\nx = torch.arange(1000).to(torch.bfloat16)", ["integer-rounds"]),
    "weights are added before unscale_": (
        trained(f"scaler.scale(loss).backward(); [p.grad.add_(p, alpha=0.1) for p in net.parameters()]; {END}"),
        ["scaler-misused"],
    ),
    "a norm compared before unscale_": (
        trained(f"scaler.scale(loss).backward(); net.weight.grad.norm() < 10; {END}"),
        ["scaler-misused"],
    ),
    "a step taken twice": (
        trained(f"scaler.scale(loss).backward(); {END}; optimizer.step()"),
        ["scaler-misused"],
    ),
    "float16 gradients divided by a scale": (
        trained("", "SGD(net.parameters(), lr=1.0)", ".half()", """
(net(x).float().mean() * 65536).backward()
masters = [p.grad.div_(65536).float() for p in net.parameters()]
"""),
        ["scaler-misused"],
    ),
    "ids beside scores": (
        "import torch\nx = torch.tensor([[900100581904, 0.5], [900100581941, 0.7]])",
        ["integer-rounds"],
    ),
    "seconds since 1970": (
        "import torch\nx = [torch.tensor(1752000123.25 + n) for n in range(3)]\ny = torch.stack(x)",
        ["integer-rounds"],
    ),
    "a clock in float32 that stands still": (
        "import torch\nt, dt = torch.tensor(2.0**20), torch.tensor(1 / 64)\nfor _ in range(9):\n    t += dt",
        ["update-absorbed"],
    ),
    "frequencies in a buffer that the module's cast rounds": (
        ROTARY.format(cast="bfloat16()", between="", positions=2048), ["angle-rounds"]
    ),
    "frequencies that were computed in half": (
        "import torch\n" + FREQS.format("bfloat16") + "torch.outer(torch.arange(2048).float(), freqs.float()).sin()",
        ["angle-rounds"],
    ),
    "angles in polar form": (
        "import torch\n" + FREQS.format("float32") + "a = torch.outer(torch.arange(2048), freqs.half().float()) * 4\n"
        "torch.polar(torch.ones_like(a), a)\ntorch.exp(1j * a)",
        ["angle-rounds", "angle-rounds"],
    ),
    "timesteps of half sigmas": (
        TIMES.format(cast=".bfloat16()", many=1000, use="for t in times: (t * freqs).sin()"), ["angle-rounds"]
    ),
    "indices of half sigmas": (
        TIMES.format(cast=".bfloat16()", many=1000, use="times.round().long()"), ["integer-rounds"]
    ),
    "phases of Julian dates": (
        ("import numpy as np\nimport torch\ndays = 2454833.5 + np.arange(99) * 0.2371\n"
        "t = torch.tensor(days, dtype=torch.float32)\nu = torch.tensor(days.tolist())\n"
        "v = torch.from_numpy(days).float()\n"
        "((t - 2454833) / 0.7) % 1.0\n(u - 2454833) % 0.7\n(v / 0.7).frac()"),
        ["angle-rounds"] * 3,
    ),
    "cents of prices": (
        "import torch\n(torch.arange(1, 99).double() / 100 * 100).round().long()", []
    ),
    "scores that a cast made equal": (
        SCORES + "".join(f"low.{how}\n" for how in CHOICES),
        ["choice-by-rounding"] * len(CHOICES),
    ),
    "bounds that a cast made equal": (
        BOUNDS + "torch.searchsorted(b, x)\ntorch.bucketize(x, b)",
        ["choice-by-rounding", "choice-by-rounding"],
    ),
    "steps of a schedule in half": (
        SCHEDULE.format("bfloat16") + "for k in range(49): s[k + 1] - s[k]\ns[1:] - s[:-1]\ns.diff()",
        ["difference-cancels"] * 3,
    ),
    "a step of a schedule in half, chosen": (
        SCHEDULE.format("bfloat16") + "for t in s: (s - t).abs().argmin()", ["choice-by-rounding"]
    ),
    "tokens counted in a half mask": (
        "import torch\nmask = torch.ones(1, 301, dtype=torch.int64).bfloat16()\nmask.sum(1).long()",
        ["integer-rounds"],
    ),
    "a distribution of half probabilities": (POLICY.format("probs=net(x).softmax(-1)"), ["probabilities-in-half"]),
    "a rare event drawn in half": (DRAWN.format("bfloat16", "< 0.0015"), ["choice-by-rounding"]),
    "an event that nearly always is, drawn in half": (DRAWN.format("float16", "<= 0.9995"), ["choice-by-rounding"]),
    "steps within one region of autocast": (in_one_region(), ["autocast-keeps-old-weights"]),
    "steps within an outer region of autocast": (
        in_one_region(inner=REGION.format(""), optimizer="AdamW"), ["autocast-keeps-old-weights"]
    ),
    "float8 without a scale": (TO_EIGHTS.format(size=4096, scale=1e6), ["number-overflows"] * 4),
    "float8 of small numbers": (TO_EIGHTS.format(size=4096, scale=2e-6), ["number-underflows"] * 4),
    "a cache of float8 that small numbers are copied to": (
        "import torch\ntorch.empty(4096, dtype=torch.float8_e4m3fn).copy_(torch.randn(4096).bfloat16() * 2e-3)",
        ["number-underflows"],
    ),
    "one number that float8 makes infinite, and reads": (
        "import torch\nx = torch.tensor(7e4).to(torch.float8_e5m2)\nx.half() * 2, torch.stack([x, x]).float().isinf()",
        ["number-overflows"],
    ),
    "float32 states that load_state_dict casts": (reloaded(), ["state-in-half"]),
    "counters that it casts": (reloaded("int64", ".half()"), ["state-in-half"]),
    "masks that it casts, for a new optimizer": (
        reloaded("bool", after="optimizer = Own(net.parameters()); optimizer.load_state_dict(saved)"),
        ["state-in-half"],
    ),
    "a row of -inf": ("import torch\nw = torch.full((2, 3), -torch.inf).softmax(-1)", ["row-masked-whole"]),
}
LEFT_ALONE = {
    "a part computed in float32, joined to the rest, and cast back": """
import torch
q = torch.randn(2, 4, 12, 16).bfloat16()
first, rest = q[..., :8], q[..., 8:]
turned = torch.cat([first * torch.rand(12, 8).cos(), rest], dim=-1).type(q.dtype)
""",
    "steps of a schedule in float32 on a device": SCHEDULE.format("torch.float32"),
    "a distribution of logits": POLICY.format("logits=net(x).float()"),
    "a distribution of half probabilities that is not to check them": POLICY.format(
        "probs=net(x).softmax(-1), validate_args=False"
    ),
    "frequencies in float32": ROTARY.format(cast="cpu()", between="", positions=2048),
    "frequencies in half, and few positions": ROTARY.format(cast="bfloat16()", between="", positions=64),
    "frequencies that are set again after the cast": ROTARY.format(
        cast="bfloat16()", between="rotary.freqs = 1e4 ** (-torch.arange(0, 64, 2).float() / 64)", positions=2048
    ),
    "frequencies that are copied into the buffer after the casts": ROTARY.format(
        cast="bfloat16().float()", between="rotary.freqs.copy_(1e4 ** (-torch.arange(0, 64, 2) / 64))", positions=2048
    ),
    "powers of two, and positions, that half holds": """
import torch
freqs = (2.0 ** -torch.arange(16)).bfloat16()
torch.outer(torch.arange(200).bfloat16().float(), freqs.float()).sin()
""",
    "features in half": "import torch\n(torch.randn(512, 64).bfloat16().float() * 6.28).sin()",
    "timesteps in float32": TIMES.format(cast="", many=1000, use="for t in times: (t * freqs).sin()"),
    "indices of half numbers that are close enough": TIMES.format(cast=".half()", many=100, use="times.round().long()"),
    "scores in float32, and the values of half ones": SCORES + """
for x in (scores, torch.tensor([0.1, 0.7, 0.3, 0.45]).half(), torch.tensor([0.7, 0.1, 0.7, 0.7, 0.1, 0.1]).half()):
    x.argsort(), x.topk(2), x.argmax(), x.unique(), x.max(0)
low.sort().values, low.sort()[0], low.max(), low.amax(0)
logits = torch.nn.Linear(16, 4000).bfloat16()(torch.randn(8, 16).bfloat16())
logits.argmax(-1), logits.topk(5), logits.float().softmax(-1).bfloat16().argmax(-1)
torch.bucketize(scores.half(), torch.linspace(0, 1, 11).half())
""",
    "float8 of usual numbers, of scaled and of clamped ones": TO_EIGHTS.format(size=4096, scale=1)
    + """
for dtype in {x.to(one).dtype for one in (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz)}:
    most, large = torch.finfo(dtype).max, torch.randn(512, 512) * 1e6
    (large / (large.abs().amax() / most)).to(dtype), (x * 100).clamp(-most, most).to(dtype)
    torch.zeros(9).to(dtype), torch.nn.Linear(64, 64).to(dtype), torch.tensor([1.0, torch.inf]).to(dtype)
""",
    "float8 that is NaN, scales, and packed numbers": """
import torch
x = torch.tensor([1.0, torch.nan]).to(torch.float8_e4m3fn)
torch.cat([x, x]).half().max(), x.float().sum(), x.view(torch.uint8), x.clone().copy_(x)
torch.zeros(64).to(torch.float8_e8m0fnu).float() * 2
torch.zeros(8, dtype=torch.uint8).view(torch.float4_e2m1fn_x2).clone()
""",
    "a region of autocast for each step": in_one_region("nullcontext()", REGION.format("")),
    "steps within a region that keeps no copies": in_one_region(REGION.format(", cache_enabled=False")),
    "steps within a region that forgets its copies": in_one_region(then="torch.clear_autocast_cache()"),
    "a region of autocast without updates": in_one_region().replace("optimizer.step();", ""),
    "steps of a schedule in float32": SCHEDULE.format("float32") + "(s[1:] - s[:-1]).bfloat16(), s.diff(), s - s[3]",
    "steps that half tells apart": "import torch\ntorch.linspace(1, 0.003, 51, dtype=torch.bfloat16).diff()",
    "a tensor less itself, and rows of it": "import torch\nx = torch.rand(8, 8).half()\nx - x, x[1:] - x[:-1]",
    "tokens counted in half that half counts, and a mean by their number": """
import torch
mask = torch.ones(1, 200).bfloat16()
n, many = mask.sum(1).long(), torch.ones(1, 301).bfloat16().sum()
x = torch.randn(301).bfloat16().sum() / many
""",
    "rare events drawn in float32, and half ones that are not rare": "\n".join(
        DRAWN.format(*how)
        for how in (("float32", "< 0.0015"), ("bfloat16", "< 0.1"), ("float16", "< 0.01"), ("half", "> 0"))
    ),
    "float32 states of float32 parameters": reloaded(half=""),
    "half states": reloaded("bfloat16"),
    "states that are put back": reloaded(after="""
for key, p in enumerate(net.parameters()):
    optimizer.state[p]["sum"] = saved["state"][key]["sum"].clone()
"""),
    "moments of torch's own optimizer": reloaded(half="", optimizer="torch.optim.AdamW"),
    "hooks that bound gradients of a loss that is not scaled": trained(
        "", step=HOOKS.format("g.clamp(-0.1, 0.1)") + PURE
    ),
    "hooks that keep gradients within float16, or above 0": trained(
        f"{HOOKS.format('g.clamp(-65504, 65504).clamp(min=0)')}; scaler.scale(loss).backward(); {END}"
    ),
    "a forward pass that is run again for its backward pass": trained(
        "from torch.utils.checkpoint import checkpoint; "
        "loss = checkpoint(lambda x: net(x).clamp(-1, 1), x, use_reentrant=False).float().mean(); "
        f"scaler.scale(loss).backward(); {END}"
    ),
    "a norm compared with that of the weights after unscale_": trained(
        f"{BACK}; scaler.unscale_(optimizer); net.weight.grad.norm() < net.weight.norm() * 0.1; {END}"
    ),
    "a scaler that is off does nothing": trained(
        "",
        step="scaler = torch.amp.GradScaler('cuda', enabled=False)\n"
        + PURE.replace("net(x).float().square().mean().backward()", "scaler.scale(net(x).square().mean()).backward()")
        .replace("optimizer.step()", f"scaler.unscale_(optimizer); {CLIP}; {END}"),
    ),
    "unscaled, and a step of its own where all is finite": trained(
        f"{BACK}; scaler.unscale_(optimizer); (optimizer.step() if torch.isfinite({CLIP}) else 0); scaler.update()"
    ),
    "a norm is read after unscale_, and that of weights before": trained(
        f"{BACK}; net.weight.norm().item(); scaler.unscale_(optimizer); net.weight.grad.norm().item(); {END}"
    ),
    "a scaled loss is read, and its scale beside it": trained(
        f"loss = scaler.scale(loss); loss.backward(); loss.item() / scaler.get_scale(); {END}"
    ),
    "divided by the scale by hand, and a step without the scaler": trained(
        "scaler.scale(loss).backward(); [p.grad.div_(scaler.get_scale()) for p in net.parameters()]; optimizer.step()"
    ),
    "the spread of several, of one without correction, and of one in code that looks for nan": QUIET
    + """
x = torch.randn(4, 1)
def spread(x):
    return torch.nan_to_num(x.std(1))
x.std(0), x.var(1, correction=0), x.std(1, unbiased=False), x[x[:, 0] > 0].std(), x[:1].std(0), spread(x)
""",
    "a table of float32 that is cast to its stream": """
import torch
x = torch.randn(64, 64).bfloat16()
ramp = (torch.arange(1, 65) / 64)[:, None]
x * ramp.to(x.dtype), x.float() * ramp, x * x.float().mean(-1, keepdim=True).to(x.dtype)
""",
    "a factor that is 1 but for what Python rounds": (
        "import torch\nx, gain = torch.randn(9000).half(), 2**0.5 * 0.5**0.5\nassert gain != 1\n"
        "for _ in range(4): x = x * gain"
    ),
    "unscaled first": trained(f"scaler.scale(loss).backward(); scaler.unscale_(optimizer); {CLIP}; {END}"),
    "a beta that moves": trained("", "AdamW(net.parameters(), lr=0.1, betas=(0.9, 0.95))", ".bfloat16()", PURE),
    "looked at under autocast, trained in float32": TRAINING.format(half="", optimizer="SGD(net.parameters(), lr=0.1)")
    + """
del scaler
with torch.autocast("cuda", dtype=torch.float16):
    shown = net(x).argmax(-1)
net(x).square().mean().backward()
optimizer.step()
""",
    "scaled and divided by hand": trained(
        "(loss * 1024).backward(); [setattr(p, 'grad', p.grad / 1024) for p in net.parameters()]; optimizer.step()"
    ),
    "float32 masters of its own, scaled by hand": TRAINING.format(half="", optimizer="SGD(net.parameters(), lr=0.1)")
    + """
masters = [p.detach().clone() for p in net.parameters()]
optimizer = torch.optim.SGD(masters, lr=0.1)
for _ in range(2):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = net(x).float().square().mean()
    (loss * 1024).backward()
    for master, p in zip(masters, net.parameters()):
        master.grad = p.grad / 1024
    optimizer.step()
    optimizer.zero_grad()
    net.zero_grad()
    with torch.no_grad():
        for master, p in zip(masters, net.parameters()):
            p.copy_(master)
""",
    "a running mean in float32, of which some steps are too small": """
import torch
torch.manual_seed(0)
mean, squares = torch.zeros(()), torch.zeros(())
for n in range(1, 600):
    value = 10 + (torch.randn(()) if n % 7 else 1e-4 * torch.randn(()))
    step = value - mean
    mean += step / n
    squares += 1e-4 * step * (value - mean)
""",
    "bits of a hash": "import torch\nx = (torch.arange(99) * 6364136223846793005 >> 33).float()",
    "ids by themselves, and constants": """
import torch
ids, other = torch.tensor([900100581904, 900100581941]), torch.tensor([[16777216, 0.5], [2**30, 0.7]])
time, light = torch.tensor(1752000123.25), torch.tensor([299792458.5, 6.02214076e23])
""",
    "noise and decay after unscale_": trained(
        f"scaler.scale(loss).backward(); scaler.unscale_(optimizer); "
        f"[p.grad.add_(p, alpha=0.1).add_(torch.randn_like(p) * 0.1) for p in net.parameters()]; "
        f"net.weight.grad.norm() < 10; {END}"
    ),
    "gradients of two passes, and a norm that is asked for inf": trained(
        f"scaler.scale(loss).backward(); g = net.weight.grad.clone(); net.weight.grad.add_(g).div_(2); "
        f"net.weight.grad.norm() < float('inf'); {END}"
    ),
    "float8 is looked at": "import torch\nx = torch.zeros(4, dtype=torch.float8_e4m3fn)\ny = x.float()",
    "attention gives 0 for a row that is masked": """
import torch
q, mask = torch.randn(1, 2, 4, 8), torch.ones(4, 4, dtype=torch.bool).tril(-1)
torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)
""",
    "an average in float32 that begins with a copy": FROM_COPY.format(dtype="float32", decay=0.9999),
    "an average that warms up, in float32": AVERAGE.format(dtype="float32", decay=0.9999),
    "an average in half that comes to few steps": AVERAGE.format(dtype="float16", decay=0.99),
    "an average in float32": """
import torch
kept, new = torch.zeros(9000), torch.randn(9000)
kept.mul_(0.9999).add_(new, alpha=1e-4)
""",
    "coefficients of a sampler": """
import torch
start, x = torch.randn(9000).half(), torch.randn(9000).half()
x = 0.9982467889785767 * start + 0.0017526180017739534 * x
""",
}


ZEROED = {
    "zero_": "g.zero_()",
    "of the data": "g.data.zero_()",
    "by an index": "g[:] = 0",
    "fill_": "g.fill_(0.0)",
    "times 0": "g.mul_(0)",
    "an operator": "g *= 0",
    "all at once": "torch._foreach_zero_([g])",
    "torch's optimizer": "torch.optim.SGD([p]).zero_grad(set_to_none=False)",
    "gone": "p.grad = None",
    "another one": "p.grad = torch.zeros_like(p)",
    "other data": "g.data = torch.zeros_like(g)",
    "set_": "g.set_(torch.zeros_like(g))",
    "copy_": "g.copy_(torch.zeros_like(g))",
    "all copied at once": "torch._foreach_copy_([g], [torch.zeros_like(g)])",
    "all times a list": "torch._foreach_mul_([g], [0.0])",
    "times zeros": "g.mul_(torch.zeros_like(g))",
    "times 0 in place of it": "p.grad = p.grad * 0",
    "out": "torch.mul(g, 0, out=g)",
    "masked": "g.masked_fill_(torch.ones_like(g, dtype=torch.bool), 0)",
    "less itself": "g -= g",
    "lerp_": "g.lerp_(torch.zeros_like(g), 1.0)",
    "a tensor by an index": "g[:, :] = torch.zeros(2, 4, device=g.device)",
}
OWN_STEP = """
import torch
net = torch.nn.Linear(4, 2, bias=False, device="cuda")
(p,) = net.parameters()
class Own:
    param_groups = [{{"params": [p]}}]
    def step(self):
        p.data.add_(p.grad, alpha=-0.1)
scaler, optimizer = torch.amp.GradScaler("cuda", growth_interval=2000), Own()
for _ in range(3):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = net(torch.randn(4, 4, device="cuda")).float().square().mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    g = p.grad
    {zero}
"""
OWN_SUM = """
import torch
net = torch.nn.Linear(4, 2, bias=False).bfloat16()
(p,) = net.parameters()
for _ in range(80):
    net(torch.randn(4, 4).bfloat16()).float().mean().backward()
    with torch.no_grad():
        p.sub_(p.grad, alpha=0.5)
        g = p.grad
        {zero}
"""


def checked(source, **options):
    name = "/case/plain.py"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    run = partial(exec, compile(source, name, "exec"), {"__name__": "__main__"})
    found = miscast.check(run, machine="a100", **options)
    assert (found.ended, found.failed) == (None, None)
    return found


def told(source, **options):
    return [one.rule for one in checked(source, **options).findings]


@pytest.mark.parametrize("name", TOLD)
def test_a_check_tells_it(name):
    source, rules = TOLD[name]
    assert told(source) == rules


SUMS = (
    "x += d", "x.add_(d)", "x -= d", "x[0] += d[0]", "x.index_add_(0, i, d)", "x.scatter_add_(0, i, d)",
    "x.scatter_reduce_(0, i, d, 'sum')", "x.index_put_((i,), d, accumulate=True)", "x.addcmul_(d, e)",
    "m.addmm_(d[:, None], e[None])", "m[None].baddbmm_(d[None, :, None], e[None, None])",
)
"""How numbers are added in place."""
SUMMED = """
import torch
make = dict(dtype=torch.{dtype})
x, m, i = torch.full((8,), {size}, **make), torch.full((8, 8), {size}, **make), torch.arange(8)
d, e = torch.full((8,), {step}, **make), torch.ones(8, **make)
for _ in range(6):
    {sums}
"""


@pytest.mark.parametrize("ranges", [False, True])
@pytest.mark.parametrize(("dtype", "size"), [("float32", 2.0**25), ("bfloat16", 512.0), ("float16", 4096.0)])
@pytest.mark.parametrize(("step", "times"), [(0.0625, 1), (512, 0)])
def test_an_update_that_changes_nothing_is_told_in_every_form(dtype, size, step, times, ranges):
    source = SUMMED.format(dtype=dtype, size=size, step=step, sums="\n    ".join(SUMS))
    assert told(source, numerics=ranges) == ["update-absorbed"] * len(SUMS) * times


@pytest.mark.parametrize("ranges", [False, True])
@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_is_right_is_left_alone(name, ranges):
    assert told(LEFT_ALONE[name], numerics=ranges) == []


def test_what_needs_ranges_is_told_only_where_they_are_followed():
    source = "import torch\nlogits = torch.randn(9000).half() * 1e4\ny = logits.square()"
    assert told(source) == []
    assert told(source, numerics=True) == ["number-overflows"]


@pytest.mark.parametrize("zero", ZEROED.values(), ids=ZEROED)
@pytest.mark.parametrize("program", [OWN_STEP, OWN_SUM], ids=["scaled", "summed"])
def test_a_gradient_that_is_zeroed_begins_anew(program, zero):
    assert told(program.format(zero=zero)) == []


@pytest.mark.parametrize("name", scaler_loops.RIGHT)
def test_a_right_loop_with_a_scaler_is_left_alone(name):
    source = scaler_loops.program(scaler_loops.RIGHT[name])
    exec(compile(source, "/case/real.py", "exec"), {"__name__": "__main__"})  # as torch sees it
    assert told(source) == []


BY_HAND = {
    "a new one": "p.grad = p.grad.float() / 4096",
    "a quotient": "p.grad = p.grad / scale",
    "a product": "p.grad = p.grad.mul(1 / scale)",
    "in place": "p.grad.div_(scale)",
    "in place, times": "p.grad *= 1 / 4096",
    "data": "p.grad.data.mul_(1 / scale)",
    "copied": "p.grad.copy_(p.grad / scale)",
    "foreach": "torch._foreach_div_([p.grad], scale)",
    "with a tensor": "p.grad.mul_(torch.tensor(1 / scale, device=device))",
}


@pytest.mark.parametrize("scale", ["2.0**12", "torch.tensor(4096.0, device=device)"], ids=["number", "tensor"])
@pytest.mark.parametrize("way", BY_HAND)
def test_a_loop_with_a_scale_of_its_own_needs_no_scaler(way, scale):
    body = f"scale = {scale}\n(losses(net) * scale).backward()\nfor p in net.parameters():\n    {BY_HAND[way]}\n"
    source = scaler_loops.program(f"{body}optimizer.step()\noptimizer.zero_grad()")
    assert told(source.replace("scaler = torch.amp.GradScaler(device)\n", "")) == []


@pytest.mark.parametrize("name", scaler_loops.WRONG)
def test_a_wrong_loop_with_a_scaler_is_told(name):
    source = scaler_loops.program(scaler_loops.WRONG[name])
    assert set(told(source)) == {"scaler-misused"}


@pytest.mark.parametrize("name", scaler_loops.REFUSED)
def test_what_a_scaler_refuses_is_told(name):
    """At the line that torch's error comes from, with its text; what a program catches is its own business."""
    body, why = scaler_loops.REFUSED[name]
    source = scaler_loops.program(body)
    with pytest.raises((AssertionError, RuntimeError)) as real:
        exec(compile(source, "/case/plain.py", "exec"), {"__name__": "__main__"})
    line = next(one.lineno for one in traceback.extract_tb(real.tb) if one.filename == "/case/plain.py")
    first = checked(source).findings[0]
    assert (first.rule, first.severity, first.location.line) == ("scaler-misused", "error", line)
    assert why in first.message
    assert (first.error, first.raises) == (str(real.value), real.typename)
    assert first.fixes[0].title


@pytest.mark.parametrize("kept", ["pass", "g.mul_(0.5)", "g[1:] = 0"])
def test_a_gradient_that_is_not_goes_on(kept):
    assert told(OWN_STEP.format(zero=kept)) == ["scaler-misused"]
    assert told(OWN_SUM.format(zero=kept)) == ["sum-stalls"]


RESUMED = TRAINING.format(half="", optimizer="AdamW(net.parameters())") + """
for epoch in range(START, 10):
    net(x).square().mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("start", "said"), [("10", True), ("9", False)])
def test_a_run_that_resumes_at_its_end_is_said_to_train_nothing(start, said):
    """First of all notes; a run that breaks off before it trains has another line."""
    notes = checked(RESUMED.replace("START", start)).notes
    line = "nothing was trained: an optimizer was created at plain.py:5, but no backward pass or step followed"
    assert [note.startswith(line) for note in notes[:1]] == [True] * said
