# machine: v100
# real: cpu
# An average of weights, weight averaging from an epoch on, and a warm-up that is checked.
import copy

import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
ema = copy.deepcopy(net)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
swa, swa_n, losses, best, wait = None, 0, [], None, 0
for epoch in range(40):
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    assert norm >= 0 and torch.isfinite(norm)
    total = sum(p.grad.norm() ** 2 for p in net.parameters()) ** 0.5
    assert total <= 1.0 + 1e-4, "not clipped"
    opt.step()
    decay = min(0.99, (1 + epoch) / (10 + epoch))
    assert 0 < decay < 1
    with torch.no_grad():
        for e, p in zip(ema.parameters(), net.parameters()):
            before = (e - p).norm()
            e.lerp_(p, 1 - decay)
            assert (e - p).norm() <= before + 1e-6
    losses.append(loss.item())
    if swa is None and len(losses) > 5 and losses[-5] - losses[-1] < 0.2:
        swa = {k: v.clone() for k, v in net.state_dict().items()}
        swa_n = 1
    elif swa is not None:
        swa_n += 1
        for k, v in net.state_dict().items():
            swa[k] += (v - swa[k]) / swa_n
    if best is None or losses[-1] < best - 1e-4:
        best, wait = losses[-1], 0
    else:
        wait += 1
        if wait > 5:
            break
assert swa is not None, "averaging never started"
assert losses[-1] < losses[0]
assert best is not None and best <= losses[0]
net.load_state_dict(swa)
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
