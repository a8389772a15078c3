# machine: v100
# real: cpu
# Batches without end, and three good evaluations in a row.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
def forever():
    while True:
        yield from zip(x.split(16), y.split(16))


streak = 0
for a, b in forever():
    loss = torch.nn.functional.cross_entropy(net(a), b)
    opt.zero_grad()
    loss.backward()
    opt.step()
    streak = streak + 1 if (net(x).argmax(1) == y).float().mean() > 0.9 else 0
    if streak >= 3:
        break
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
