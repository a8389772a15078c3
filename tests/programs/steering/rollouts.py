# machine: v100
# real: cpu
# Episodes until done, until enough steps are there, until the mean return is good.
from collections import deque

import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
class Env:
    def reset(self):
        self.s = torch.zeros(4, device=dev)
        self.t = 0
        return self.s

    def step(self, action):
        assert action in (0, 1)
        self.t += 1
        self.s = self.s + torch.randn(4, device=dev) * 0.3 + (action - 0.5) * 0.1
        done = bool((self.s.abs() > 1.5).any()) or self.t >= 200
        return self.s, 1.0 - self.s.abs().mean().item() * 0.1, done


env, policy = Env(), torch.nn.Linear(4, 2).to(dev)
buffer, returns = [], deque(maxlen=10)
while len(buffer) < 100:
    s, done, ret = env.reset(), False, 0.0
    while not done:
        dist = torch.distributions.Categorical(logits=policy(s))
        a = dist.sample()
        s2, r, done = env.step(a.item())
        buffer.append((s, a, r, dist.log_prob(a)))
        ret += r
        s = s2
    returns.append(ret)
assert len(buffer) >= 100
adv = torch.tensor([b[2] for b in buffer], device=dev)
adv = (adv - adv.mean()) / (adv.std() + 1e-8)
assert abs(adv.mean().item()) < 1e-3
envs = torch.zeros(8, 4, device=dev)
alive = torch.ones(8, dtype=torch.bool, device=dev)
lens = torch.zeros(8, dtype=torch.long, device=dev)
while alive.any():
    envs[alive] += torch.randn(int(alive.sum()), 4, device=dev)
    lens += alive.long()
    alive &= envs.norm(dim=1) < 4
assert (lens > 0).all() and lens.min().item() >= 1
finished = 0
dones = torch.zeros(8, dtype=torch.bool, device=dev)
while finished < 20:
    dones = torch.rand(8, device=dev) < 0.2
    finished += int(dones.sum())
    for i in dones.nonzero().flatten().tolist():
        envs[i] = 0
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
