# machine: v100
# real: cpu
import numpy as np
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
x = torch.randn(50, 2, device=dev)
centers = x[torch.randperm(50)[:3]]
for _ in range(4):
    assign = torch.cdist(x, centers).argmin(1)
    centers = torch.stack([x[assign == k].mean(0) if (assign == k).any() else centers[k] for k in range(3)])
confusion = torch.zeros(3, 3, dtype=torch.int64, device=dev)
truth = torch.randint(0, 3, (50,), device=dev)
confusion.index_put_((truth, assign), torch.ones(50, dtype=torch.int64, device=dev), accumulate=True)
accuracy = confusion.diag().sum() / confusion.sum()
precision = confusion.diag().float() / confusion.sum(0).clamp(min=1)
history = {"acc": [], "p": []}
history["acc"].append(accuracy.item()), history["p"].extend(precision.cpu().numpy().tolist())
print(np.mean(history["acc"]), torch.quantile(x, 0.5, dim=0), x.histc(5), x.std(), x.var(0), x.median().item(), torch.histogram(x.cpu(), 4).hist)
