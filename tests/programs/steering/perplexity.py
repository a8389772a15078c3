# machine: v100
# real: cpu
# Values that go into Python's mathematics.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
import math

step = 0
while step < 40:
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    perplexity = math.exp(loss.item())
    bits = math.log2(perplexity)
    rate = 1 / (1e-3 + abs(loss.item()))
    assert perplexity > 0
    step += 1
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
