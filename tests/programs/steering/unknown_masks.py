# machine: v100
# Masks of data that nobody knows: something is assumed, nothing breaks.
import torch
from torch import nn

model = nn.Linear(8, 1).cuda()
scores = model(torch.randn(100, 8, device="cuda")).squeeze(1)
boxes = torch.rand(100, 4, device="cuda")
keep = scores > 0
kept = boxes[keep]  # assumed: boolean mask
order = scores[keep].argsort(descending=True)[:10]
kept = kept[order]
kept[:, 2:] += kept[:, :2]
if kept.shape[0] == 0:
    raise SystemExit("nothing kept")
best = scores.argmax().item()  # assumed: Tensor.item
losses = [loss.item() for loss in scores[:3]]
for i in torch.nonzero(keep).squeeze(1)[:3]:
    print(boxes[i].tolist())  # assumed: Tensor.tolist
nan = torch.isnan(scores).any()
assert not nan and torch.isfinite(scores).all()
print(float(scores.mean()), best, losses, f"{scores.max():.3f}")
