# machine: v100
# real: cpu
# k-means until no point changes its centre, with empty clusters looked after.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
x = torch.randn(200, 4, device=dev)
centres = x[:5].clone()
assigned = torch.full((200,), -1, device=dev)
rounds = 0
while True:
    new = torch.cdist(x, centres).argmin(1)
    if torch.equal(new, assigned):
        break
    assigned = new
    for k in range(5):
        mine = assigned == k
        if mine.any():
            centres[k] = x[mine].mean(0)
    rounds += 1
shift = 1.0
while shift > 1e-4:
    new = torch.stack([x[assigned == k].mean(0) if (assigned == k).sum() > 0 else centres[k] for k in range(5)])
    shift = (new - centres).norm().item()
    centres = new
assert assigned.min() >= 0 and assigned.max() < 5
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
