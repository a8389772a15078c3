# machine: v100
# real: cpu
# A flag.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
x = torch.rand(10, device=dev)
ok = False
tries = 0
while not ok:
    order = torch.randperm(10, device=dev)
    ok = x[order][0] <= x[order][1]
    tries += 1
order, swapped = x.clone(), True
while swapped:
    swapped = False
    for i in range(9):
        if order[i] > order[i + 1]:
            order[[i, i + 1]] = order[[i + 1, i]]
            swapped = True
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
