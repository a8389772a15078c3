# machine: v100
# real: cpu
# Train until enough predictions are right, counted in Python.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
accuracy = 0.0
while accuracy < 0.95:
    correct, total = 0, 0
    for a, b in zip(x.split(16), y.split(16)):
        loss = torch.nn.functional.cross_entropy(net(a), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        correct += (net(a).argmax(1) == b).sum().item()
        total += len(b)
    accuracy = correct / total
    assert 0 <= accuracy <= 1
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
