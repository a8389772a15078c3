# machine: v100
# real: cpu
# A trainer whose state says when it is done.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
class Trainer:
    def __init__(self):
        self.done, self.best_acc, self.steps = False, 0.0, 0

    def step(self):
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        self.steps += 1
        return {"loss": loss.item(), "acc": (net(x).argmax(1) == y).float().mean().item()}

    def fit(self):
        while not self.done:
            logs = self.step()
            self.best_acc = max(self.best_acc, logs["acc"])
            if self.best_acc > 0.9 and logs["loss"] < 0.5:
                self.done = True


Trainer().fit()
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
