# machine: v100
# real: cpu
# A step that is tried again with a smaller rate until it helps.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
def loss_at(scale):
    return torch.nn.functional.cross_entropy(net(x) * scale, y)


lr, first = 1.0, loss_at(1.0).detach()
while True:
    trial = loss_at(lr)
    if trial <= first:
        break
    lr /= 2
total = torch.norm(torch.stack([p.norm() for p in net.parameters()]))
while total > 1e-2:
    total = total * 0.5
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
