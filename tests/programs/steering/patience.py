# machine: v100
# real: cpu
# Early stopping, with a scheduler that watches.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 4, device=dev)
y = (x.sum(1) > 0).long()
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=2)
best, patience, epoch = float("inf"), 0, 0
while patience < 3:
    loss = torch.nn.functional.cross_entropy(net(x), y + 0 * epoch)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step(loss.detach())
    if loss > best - 1e-2:
        patience += 1
    else:
        best, patience = loss.detach(), 0
    epoch += 1
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
