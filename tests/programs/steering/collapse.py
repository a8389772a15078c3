# machine: v100
# real: cpu
# A clustering that must not collapse.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
codes = torch.randint(0, 8, (256,), device=dev)
usage = torch.bincount(codes, minlength=8)
if (usage == 0).any():
    raise RuntimeError("dead codes")
used = (usage > 0).sum().item()
assert used == 8, used
assert usage.sum() == 256 and usage.sum().item() == 256
share = usage.float() / usage.sum()
assert abs(share.sum().item() - 1) < 1e-5
assert torch.unique(codes).numel() > 1
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
