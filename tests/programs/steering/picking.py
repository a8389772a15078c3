# machine: v100
# real: cpu
# What is picked once is not picked again.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
cost = torch.rand(5, 5, device=dev)
used = torch.zeros(5, dtype=torch.bool, device=dev)
match = {}
for i in range(5):
    j = cost[i].masked_fill(used, float("inf")).argmin().item()
    assert not used[j]
    used[j] = True
    match[i] = j
assert used.all() and sorted(match.values()) == list(range(5))
points = torch.rand(50, 3, device=dev)
dist = torch.full((50,), float("inf"), device=dev)
chosen = [0]
while len(chosen) < 8:
    dist = torch.minimum(dist, (points - points[chosen[-1]]).norm(dim=1))
    far = int(dist.argmax())
    assert far not in chosen
    chosen.append(far)
assert len(set(chosen)) == 8
picked = torch.zeros(6, dtype=torch.long, device=dev)
d = torch.full((50,), 1e10, device=dev)
now = torch.randint(0, 50, (), device=dev)
for k in range(6):
    picked[k] = now
    d = torch.min(d, ((points - points[now]) ** 2).sum(-1))
    now = torch.max(d, -1)[1]
assert picked.unique().numel() == 6
perm = torch.randperm(20, device=dev)
assert len(set(perm.tolist())) == 20
assert (perm.sort().values == torch.arange(20, device=dev)).all()
best = torch.rand(30, device=dev).topk(4).indices
assert len(set(best.tolist())) == len(best)
inverse = torch.argsort(perm)
assert torch.equal(perm[inverse], torch.arange(20, device=dev))
some = torch.multinomial(torch.rand(12, device=dev), 5, replacement=False)
assert len({int(s) for s in some}) == 5
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
