# machine: v100
# real: cpu
# A learning rate finder that stops when the loss explodes.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
lr, best, history = 1e-5, float("inf"), []
while lr < 10:
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    for g in opt.param_groups:
        g["lr"] = lr
    opt.step()
    history.append((lr, loss.item()))
    if loss.item() > 4 * best or torch.isnan(loss):
        break
    best = min(best, loss.item())
    lr *= 1.5
assert len(history) > 1, "exploded at once"
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
