# machine: v100
# real: cpu
# Early stopping on a score, in a class.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
class Stopper:
    def __init__(self, patience):
        self.patience, self.best, self.bad = patience, -1.0, 0

    def __call__(self, score):
        if score > self.best + 1e-3:
            self.best, self.bad = score, 0
        else:
            self.bad += 1
        return self.bad >= self.patience


def evaluate():
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()


stop = Stopper(3)
while True:
    torch.nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
    opt.zero_grad()
    if stop(evaluate()):
        break
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
