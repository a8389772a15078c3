# machine: v100
# real: cpu
# Seeding as in k-means++: no centre twice.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
x = torch.randn(40, 3, device=dev)
centres = [int(torch.randint(0, 40, (1,), device=dev))]
while len(centres) < 5:
    d2 = torch.cdist(x, x[centres]).min(1).values ** 2
    assert (d2 >= 0).all() and d2.sum() > 0
    i = torch.multinomial(d2 / d2.sum(), 1).item()
    if i in centres:
        continue
    centres.append(i)
assert len(set(centres)) == 5
labels = torch.cdist(x, x[centres]).argmin(1)
counts = torch.bincount(labels, minlength=5)
assert counts.sum().item() == 40 and (counts > 0).all()
negatives = set()
while len(negatives) < 5:
    j = torch.randint(0, 40, (1,), device=dev).item()
    if j not in negatives:
        negatives.add(j)
seen = []
while True:
    c = torch.randint(0, 10, (), device=dev).item()
    if c in seen:
        break
    seen.append(c)
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
