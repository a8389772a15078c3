# machine: v100
# real: cpu
# Train until the accuracy is good.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
while True:
    opt.zero_grad()
    out = net(x)
    torch.nn.functional.cross_entropy(out, y).backward()
    opt.step()
    acc = (out.argmax(1) == y).float().mean()
    if acc > 0.95:
        break
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
