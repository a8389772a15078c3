# machine: v100
# real: cpu
# Assertions on data, as programs make them.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
x = torch.rand(8, 16, device=dev)
labels = torch.randint(0, 5, (8,), device=dev)
num_classes = 5
mask = torch.rand(8, device=dev) < 0.9
probs = torch.softmax(torch.randn(8, 5, device=dev), -1)
assert (x >= 0).all() and (x <= 1).all()
assert x.min() >= 0 and x.max() <= 1, (x.min(), x.max())
assert mask.any(), "all masked"
assert labels.max() < num_classes and labels.min() >= 0
assert torch.allclose(probs.sum(-1), torch.ones(8, device=dev))
assert ((probs.sum(-1) - 1).abs() < 1e-5).all()
assert x.sum().item() > 0 and x.std() > 0
assert not (x < 0).any() and not torch.equal(x, x + 1)
assert x[0].ne(x[1]).any()
n = int(mask.sum())
assert n > 0
mean = x.sum().item() / n
torch._assert(x.max() < 2, "range")
torch._assert_async(x.max() < 2)
torch.testing.assert_close(x, x.clone() * 1.0)
torch.testing.assert_close(probs.sum(-1), torch.ones(8, device=dev))
assert set(labels.tolist()) <= set(range(5))
assert (x.norm(dim=-1) > 0).all().item() is True
if (labels < 0).any() or labels.max().item() >= num_classes:
    raise IndexError("labels")
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
