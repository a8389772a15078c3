"""Float32 numbers that have arrived at what they follow: their last steps change nothing, and need not."""
import torch

torch.manual_seed(0)
goal = torch.rand(6) + 1
taken, added, divided, moved, stepped, mixed = (torch.zeros(6) for _ in range(6))
theta = torch.ones(5)
for _ in range(400):
    theta -= 0.1 * (theta - torch.arange(1.0, 6.0))
    taken.sub_(taken - goal, alpha=0.1)
    added = added + 0.1 * (goal - added)
    divided += (goal - divided) / 8
    away = goal - moved
    moved += away * 0.1
    gradient = 2 * (stepped - goal)
    stepped -= 0.1 * gradient
    mixed.lerp_(goal, 0.1)
