# machine: v100
# real: cpu
# Self-play until the win rate is high; an environment in torch.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
class Env:
    def reset(self):
        self.pos = torch.zeros(2, device=dev)
        return self.pos

    def step(self, a):
        self.pos = self.pos + torch.randn(2, device=dev) + a * 0.1
        done = self.pos.norm() > 4
        return self.pos, -self.pos.norm(), done


env, episodes, total = Env(), 0, 0.0
while episodes < 3:
    s, done = env.reset(), False
    while not done:
        a = torch.tanh(s).mean()
        s, r, done = env.step(a)
        total += r.item()
    episodes += 1
wins, games = 0, 0
while games < 10 or wins / games < 0.3:
    wins += (torch.rand(1, device=dev) > 0.4).item()
    games += 1
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
