# machine: v100
# real: cpu
# Guards that log, exit, and raise from helpers.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
import logging
import math
import sys

import numpy as np


def check_finite(name, t):
    if not torch.isfinite(t).all():
        logging.error("%s", name)
        raise ValueError(name)
    return t


def is_healthy(t):
    return not (torch.isnan(t).any() or torch.isinf(t).any())


def require(condition, message):
    if not condition:
        raise AssertionError(message)


loss = check_finite("loss", torch.nn.functional.cross_entropy(net(x), y))
require(is_healthy(loss), "loss")
require(bool((x.abs() < 100).all()), "range")
require(loss.item() > 0, "positive")
loss.backward()
for name, p in net.named_parameters():
    valid = not (torch.isnan(p.grad).any() or torch.isinf(p.grad).any())
    if not valid:
        break
else:
    opt.step()
assert valid, "gradients"
if math.isnan(loss.item()) or np.isnan(loss.item()) or loss.item() > 1e4:
    print("stop", file=sys.stderr)
    sys.exit(1)
if not np.isfinite(net.weight.detach().cpu().numpy()).all():
    sys.exit(2)
assert not np.isnan(loss.detach().cpu().numpy())
assert torch.all(torch.isfinite(net.weight)).item()
assert torch.isnan(net.weight).sum().item() == 0
assert torch.count_nonzero(torch.isnan(x)) == 0
assert torch.sum(torch.isnan(x)) == 0 and not torch.isnan(x).sum()
assert torch.isnan(x.sum()).item() is False
assert x.isfinite().all() and x.isfinite().sum() == x.numel()
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
