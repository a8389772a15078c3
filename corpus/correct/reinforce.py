# machine: v100
"""Policy gradients on a toy environment that lives in NumPy."""

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

device = "cuda" if torch.cuda.is_available() else "cpu"


class Corridor:
    """Walk to the right end."""

    def __init__(self, length=6):
        self.length = length
        self.position = 0

    def observe(self):
        state = np.zeros(self.length, dtype=np.float32)
        state[self.position] = 1.0
        return state

    def step(self, action):
        self.position = max(0, self.position + (1 if action % 2 else -1))
        done = self.position >= self.length - 1
        return self.observe() if not done else np.zeros(self.length, dtype=np.float32), float(done) - 0.1, done


class ActorCritic(nn.Module):
    def __init__(self, states, actions, width=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(states, width), nn.Tanh())
        self.actor, self.critic = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, state):
        hidden = self.trunk(state)
        return Categorical(logits=self.actor(hidden)), self.critic(hidden).squeeze(-1)


def rollout(policy, steps=8):
    env = Corridor()
    states, actions, rewards = [], [], []
    state = env.observe()
    for t in range(steps):
        with torch.no_grad():
            distribution, _ = policy(torch.from_numpy(state).to(device))
        action = distribution.sample()
        states.append(state)
        actions.append(action)
        state, reward, done = env.step(t)
        rewards.append(reward)
        if done:
            break
    return np.stack(states), torch.stack(actions), rewards


def discounted(rewards, gamma=0.95):
    returns = np.zeros(len(rewards), dtype=np.float32)
    running = 0.0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running
        returns[t] = running
    return returns


def main():
    torch.manual_seed(0)
    policy = ActorCritic(6, 2).to(device)
    optimizer = torch.optim.RMSprop(policy.parameters(), lr=1e-3)
    for episode in range(3):
        states, actions, rewards = rollout(policy)
        states = torch.as_tensor(states, device=device)
        returns = torch.tensor(discounted(rewards), dtype=torch.float32, device=device)
        distribution, value = policy(states)
        advantage = returns - value.detach()
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
        policy_loss = -(distribution.log_prob(actions) * advantage).mean()
        value_loss = nn.functional.mse_loss(value, returns)
        loss = policy_loss + 0.5 * value_loss - 0.01 * distribution.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"episode {episode}: value loss {value_loss.item():.4f}")


if __name__ == "__main__":
    main()
