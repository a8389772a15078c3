"""Each kind of fault: the program with it, and the lines that the best proven fix changes."""

from __future__ import annotations

import pytest

HALF_MODEL = """\
import torch
from torch import nn

net = nn.Conv2d(5, 8, 3).cuda().half()
latent = torch.randn(2, 4, 8, 8, device="cuda", dtype=torch.float16)
"""
TRAINING = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")
net = nn.Linear(8, 3)
net = net.to(device)
data = TensorDataset(torch.randn(8, 8), torch.randint(0, 3, (8,)))
optimizer = torch.optim.AdamW(net.parameters())
"""

CASES = {
    "a mask without its dtype": (
        HALF_MODEL + 'mask = torch.ones(2, 1, 8, 8, device="cuda")  # all of it\nnet(torch.cat([latent, mask], 1))\n',
        ['-mask = torch.ones(2, 1, 8, 8, device="cuda")  # all of it',
         '+mask = torch.ones(2, 1, 8, 8, device="cuda", dtype=latent.dtype)  # all of it'],
    ),
    "a stray cast": (
        HALF_MODEL + "mask = torch.ones_like(latent[:, :1])\nx = torch.cat([latent, mask], 1)\nnet(x.float())\n",
        ["-net(x.float())", "+net(x)"],
    ),
    "a stray cast of a float32 model's input": (
        "import torch\nfrom torch import nn\n\nnet = nn.Linear(4, 4)\nx = torch.randn(2, 4)\nnet(x.half())\n",
        ["-net(x.half())", "+net(x)"],
    ),
    "a batch that stays on the CPU": (
        TRAINING + "for x, y in DataLoader(data, batch_size=4):\n"
        "    loss = nn.functional.cross_entropy(net(x), y.to(device))\n    loss.backward()\n    optimizer.step()\n",
        ["+    x = x.to(device)"],
    ),
    "a batch of which nothing is moved": (
        TRAINING + "for x, y in DataLoader(data, batch_size=4):\n"
        "    loss = nn.functional.cross_entropy(net(x), y)\n    loss.backward()\n",
        ["+    x, y = x.to(device), y.to(device)"],
    ),
    "a module that nobody moved": (
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.inner = nn.Linear(4, 4)\n\n    def forward(self, x):\n"
        '        return self.inner(x)\n\n\nnet = Net()\nnet(torch.randn(2, 4, device="cuda"))\n',
        ["-net = Net()", '+net = Net().to("cuda")'],
    ),
    "an integer target that was made a float": (
        TRAINING + "x, y = data[:]\nloss = nn.functional.cross_entropy(net(x.to(device)), y.to(device).float())\n",
        ["-loss = nn.functional.cross_entropy(net(x.to(device)), y.to(device).float())",
         "+loss = nn.functional.cross_entropy(net(x.to(device)), y.to(device))"],
    ),
    "a scaler on half weights": (
        'import torch\nfrom torch import nn\n\nnet = nn.Linear(8, 2).cuda().half()\nscaler = torch.amp.GradScaler("cuda")\n'
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        'with torch.autocast("cuda", dtype=torch.float16):\n    loss = net(torch.randn(4, 8, device="cuda")).sum()\n'
        "scaler.scale(loss).backward()\nscaler.unscale_(optimizer)\nscaler.step(optimizer)\n",
        ["-net = nn.Linear(8, 2).cuda().half()", "+net = nn.Linear(8, 2).cuda()"],
    ),
    "a number that the dtype cannot hold": (
        'import torch\n\nscores = torch.randn(2, 4, device="cuda").half()\n'
        "scores = scores.masked_fill(torch.ones_like(scores).bool(), -1e9)\n",
        ["-scores = scores.masked_fill(torch.ones_like(scores).bool(), -1e9)",
         "+scores = scores.masked_fill(torch.ones_like(scores).bool(), torch.finfo(scores.dtype).min)"],
    ),
    "a buffer that is a plain tensor": (
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.mean = torch.zeros(4)\n\n    def forward(self, x):\n"
        '        return x - self.mean\n\n\nnet = Net().cuda()\nnet(torch.randn(2, 4, device="cuda"))\n',
        ["-        self.mean = torch.zeros(4)", '+        self.register_buffer("mean", torch.zeros(4))'],
    ),
    "a module in a list": (
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.towers = [nn.Linear(4, 4)]\n\n    def forward(self, x):\n"
        '        return self.towers[0](x)\n\n\nnet = Net().cuda().half()\nnet(torch.randn(2, 4, device="cuda").half())\n',
        ["-        self.towers = [nn.Linear(4, 4)]", "+        self.towers = nn.ModuleList([nn.Linear(4, 4)])"],
    ),
    "a schedule in float32": (
        HALF_MODEL.replace("5, 8", "4, 8") + 'betas = torch.linspace(1e-4, 0.02, 1000, device="cuda")\n'
        "alpha = torch.cumprod(1 - betas, 0)[[3, 7]].view(-1, 1, 1, 1)\nnoisy = alpha * latent\nnet(noisy)\n",
        ["-noisy = alpha * latent", "+noisy = alpha.to(latent.dtype) * latent"],
    ),
    "autocast that is off": (
        'import torch\nfrom torch import nn\n\nnet = nn.Linear(4, 4).cuda()\nx = torch.randn(2, 4, device="cuda").half()\n'
        'with torch.autocast("cuda", enabled=False):\n    y = net(x)\n',
        ['-with torch.autocast("cuda", enabled=False):', '+with torch.autocast("cuda"):'],
    ),
    "an image for NumPy": (
        'import torch\n\nimage = torch.rand(3, 4, 4, device="cuda")\npixels = image.numpy()\n',
        ["-pixels = image.numpy()", '+pixels = image.to("cpu").numpy()'],
    ),
    "a device that the machine has not": (
        'import torch\n\nx = torch.ones(3, device="cuda")\n',
        ['-x = torch.ones(3, device="cuda")', '+x = torch.ones(3, device="cuda" if torch.cuda.is_available() else "cpu")'],
    ),
    "a generator of the CPU": (
        'import torch\n\ngenerator = torch.Generator().manual_seed(0)\n'
        'noise = torch.randn(4, device="cuda", generator=generator)\n',
        ["-generator = torch.Generator().manual_seed(0)", '+generator = torch.Generator(device="cuda").manual_seed(0)'],
    ),
}  # fmt: skip
MACHINES = {"a device that the machine has not": "cpu"}


def changed(mending):
    return [line for line in mending.diff().splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]


@pytest.mark.parametrize("case", CASES)
def test_the_best_fix(case, fix):
    source, lines = CASES[case]
    mending = fix(source, MACHINES.get(case, "v100"))
    assert mending.before.findings, "the program has no fault"
    assert changed(mending) == lines, [fixed.fix.title for fixed in mending.fixed]
    assert mending.after.findings == ()
    assert all(fixed.fix.verified for fixed in mending.fixed)
    assert mending.unfixed == ()
