# machine: v100
# real: cpu
# Breadth-first search until the frontier is empty.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
a = torch.rand(20, 20, device=dev) < 0.2
seen = torch.zeros(20, dtype=torch.bool, device=dev)
front = torch.zeros(20, dtype=torch.bool, device=dev)
seen[0] = front[0] = True
depth = 0
while front.any():
    node = front.nonzero()[0, 0]
    front = (a[front].any(0)) & ~seen
    seen |= front
    depth += 1
todo = torch.rand(6, device=dev) > -1
while todo.any():
    i = todo.nonzero()[0].item()
    todo[i] = False
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
