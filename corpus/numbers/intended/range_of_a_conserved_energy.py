"""The range of an energy that a symplectic integrator conserves: that it is mostly rounding is what is to be seen."""
import torch

torch.manual_seed(0)
position, velocity = 2 + torch.rand(256, 3), 0.1 * torch.randn(256, 3)
energies = []
for step in range(400):
    velocity -= 5e-4 * 2.25 * position / 2
    position += 5e-4 * velocity
    velocity -= 5e-4 * 2.25 * position / 2
    if step % 100 == 0:
        energies.append((velocity.square().sum(1) + 2.25 * position.square().sum(1)).mean() / 2)
trace = torch.stack(energies)
drift = trace.max() - trace.min()
