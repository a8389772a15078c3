# machine: v100
# real: cpu
# Patience in a validation loop without a limit of epochs.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
best, wait = 0.0, 0
while True:
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    val = 100.0 * (net(x).argmax(1) == y).sum().item() / len(y)
    if val > best:
        best, wait = val, 0
    else:
        wait += 1
        if wait >= 5:
            break
assert 0 <= best <= 100
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
