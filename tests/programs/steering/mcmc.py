# machine: v100
# real: cpu
# Metropolis, until enough proposals were taken.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
def logp(z):
    return -0.5 * (z**2).sum()


z, accepted, total = torch.zeros(3, device=dev), 0, 0
while accepted < 20:
    new = z + 0.5 * torch.randn(3, device=dev)
    if torch.rand((), device=dev).log() < logp(new) - logp(z):
        z, accepted = new, accepted + 1
    total += 1
rate = accepted / total
assert 0 < rate <= 1
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
