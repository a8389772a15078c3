# machine: v100
# real: cpu
# A buffer that is filled until it is warm, and an episode that ends.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
import random

q = torch.nn.Linear(4, 2).to(dev)
buffer = []
while len(buffer) < 50:
    state, done = torch.zeros(4, device=dev), False
    while not done:
        action = q(state).argmax().item()
        assert action in (0, 1)
        state = state + torch.randn(4, device=dev) * (1 + action)
        reward = -state.abs().sum()
        done = bool(state.abs().max() > 3)
        buffer.append((state, action, reward.item(), done))
returns = []
while not returns or sum(returns[-5:]) / len(returns[-5:]) < 4:
    returns.append(torch.randint(0, 10, (5,), device=dev).float().mean().item())
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
