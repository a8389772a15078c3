# machine: v100
# real: cpu
# Numbers that are used as sizes and divisors.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
mask = torch.rand(300, 300, device=dev) > 0.5
count = mask.sum().item()
assert count > 0
share = 10 / count
lengths = torch.randint(1, 9, (4,), device=dev)
longest = lengths.max().item()
if longest <= 0:
    raise ValueError("empty")
batch = torch.zeros(4, longest, device=dev)
n = int((torch.rand(40, device=dev) > 0.1).sum())
mean = sum(torch.rand(5, device=dev).tolist()) / n
k = max(1, int(0.1 * count))
assert batch.shape[1] == longest and k >= 1
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
