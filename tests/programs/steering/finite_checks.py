# machine: v100
# real: cpu
# A NaN guard in every spelling.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
import math, sys
loss = torch.nn.functional.cross_entropy(net(x), y)
assert torch.isfinite(loss), "loss"
assert not torch.isnan(loss).any() and not torch.isinf(loss)
assert loss == loss and not (loss != loss).any()
assert (net(x) == net(x)).shape == (64, 2)
if torch.isnan(loss) or torch.isinf(loss):
    raise RuntimeError("diverged")
if not math.isfinite(loss.item()):
    sys.exit("Loss is {}, stopping training".format(loss.item()))
loss.backward()
assert all(torch.isfinite(p.grad).all() for p in net.parameters())
assert not any(p.grad.isnan().any() for p in net.parameters())
assert sum(p.grad.isnan().sum().item() for p in net.parameters()) == 0
assert net.weight.grad.isnan().sum() == 0
assert torch.isfinite(net.weight).float().mean() == 1
assert (net.weight.abs() != float("inf")).all() and (net.weight < float("inf")).all()
big = torch.randn(512, 512, device=dev) * 2
assert torch.isfinite(big).all() and not torch.isnan(big).any() and (~torch.isfinite(big)).any().item() is False
assert big.isnan().sum() == 0
norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=True)
if not torch.isfinite(norm):
    raise FloatingPointError("gradients")
assert not math.isnan(loss.item()) and loss.item() < 10 and 0 < norm.item() < 1000
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
