# machine: v100
# real: cpu
# Particles are resampled where weights degenerate; bad draws are drawn again.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
n = 50
w = torch.ones(n, device=dev) / n
particles = torch.randn(n, 2, device=dev)
resampled = 0
for t in range(20):
    particles = particles + 0.1 * torch.randn_like(particles)
    w = w * torch.exp(-particles.pow(2).sum(1))
    assert w.sum() > 0
    w = w / w.sum()
    ess = 1.0 / (w**2).sum()
    assert 0 < ess.item() <= n + 1e-2
    if ess < n / 2:
        idx = torch.multinomial(w, n, replacement=True)
        assert idx.min() >= 0 and idx.max() < n
        particles, w = particles[idx], torch.ones(n, device=dev) / n
        resampled += 1
z = torch.randn(100, device=dev)
bad = z.abs() > 2
while bad.any():
    z[bad] = torch.randn(int(bad.sum()), device=dev)
    bad = z.abs() > 2
assert (z.abs() <= 2).all()
out = []
while sum(len(o) for o in out) < 200:
    u = torch.rand(64, device=dev)
    out.append(u[torch.rand(64, device=dev) < u])
samples = torch.cat(out)[:200]
assert samples.shape == (200,) and 0 <= samples.min() and samples.max() <= 1
got = torch.empty(0, device=dev)
while got.numel() < 100:
    c = torch.randn(64, device=dev)
    got = torch.cat([got, c[(c > 0).nonzero().squeeze(-1)]])
assert len(got) >= 100
cum = torch.cumsum(w, 0)
u = torch.rand((), device=dev).item() / n
i = 0
picks = []
for k in range(n):
    while i < n - 1 and u + k / n > cum[i]:
        i += 1
    picks.append(i)
assert picks == sorted(picks) and max(picks) < n
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
