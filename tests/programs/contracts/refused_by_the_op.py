# machine: a100
# What ops refuse though no contract speaks of them is told in torch's words, and the program goes on.
import torch

device = "cuda"
points = torch.rand(3, 4, device=device)
weights = torch.ones(4, device=device)
# fixed: weights = torch.ones(4, device=device, dtype=torch.int64)
spread = torch.cov(points, fweights=weights)  # finding: operand-dtype-not-accepted cov fweights
near = torch.isclose(spread, spread.half())  # finding: operand-dtype-mismatch isclose self
# fixed: near = torch.isclose(spread, spread + 1e-8)
assert near.dtype is torch.bool
order = torch.zeros(3, 4, device=device)
# fixed: order = torch.zeros(3, 4, device=device, dtype=torch.int64)
taken = torch.take_along_dim(points, order, 1)  # finding: operand-dtype-not-accepted take_along_dim indices
waves = torch.fft.fft(taken.bfloat16())  # finding: unsupported-dtype fft_fft self
# fixed: waves = torch.fft.fft(taken)
assert waves.is_complex()
