# machine: v100
"""Q-learning from a replay buffer of NumPy arrays."""

import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class ReplayBuffer:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *transition):
        self.memory.append(transition)

    def sample(self, size):
        state, action, reward, following, done = zip(*random.sample(list(self.memory), size))
        return (
            torch.from_numpy(np.stack(state)).float().to(device),
            torch.tensor(action, dtype=torch.int64, device=device),
            torch.tensor(reward, dtype=torch.float32, device=device),
            torch.from_numpy(np.stack(following)).float().to(device),
            torch.tensor(done, dtype=torch.float32, device=device),
        )


class QNet(nn.Module):
    def __init__(self, states=4, actions=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(states, 32), nn.ReLU(), nn.Linear(32, actions))

    def forward(self, state):
        return self.net(state)


def fill(buffer, count):
    rng = np.random.default_rng(0)
    for _ in range(count):
        buffer.push(rng.normal(size=4), int(rng.integers(3)), float(rng.normal()), rng.normal(size=4), bool(rng.random() < 0.1))


def td_loss(online, target, batch, gamma=0.99):
    state, action, reward, following, done = batch
    q = online(state).gather(1, action.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = online(following).argmax(dim=1, keepdim=True)
        future = target(following).gather(1, best).squeeze(1)
        wanted = reward + gamma * future * (1 - done)
    return F.smooth_l1_loss(q, wanted), (q - wanted).abs().detach()


def main():
    torch.manual_seed(0)
    random.seed(0)
    online, target = QNet().to(device), QNet().to(device)
    target.load_state_dict(online.state_dict())
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    buffer = ReplayBuffer(100)
    fill(buffer, 40)
    priorities = torch.zeros(8, device=device)
    for step in range(3):
        loss, error = td_loss(online, target, buffer.sample(8))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        priorities = 0.9 * priorities + 0.1 * error
        for slow, fast in zip(target.parameters(), online.parameters()):
            slow.data.mul_(0.95).add_(fast.data, alpha=0.05)
        print(f"step {step}: loss {loss.item():.4f}")
    print(f"priority {priorities.mean().item():.4f}")


if __name__ == "__main__":
    main()
