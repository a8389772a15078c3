# machine: v100
# real: cpu
# EM until the likelihood stands still, with a limit.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
x = torch.randn(100, device=dev)
mu, logl, step = torch.tensor([-1.0, 1.0], device=dev), torch.tensor(-1e9, device=dev), 0
while step < 500:
    logp = -0.5 * (x[:, None] - mu) ** 2
    r = logp.softmax(1)
    mu = (r * x[:, None]).sum(0) / r.sum(0)
    new = logp.logsumexp(1).mean()
    if new < logl - 1e-3:
        raise RuntimeError("the likelihood fell")
    if (new - logl).abs() < 1e-6:
        break
    logl, step = new, step + 1
else:
    raise RuntimeError("no convergence")
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
