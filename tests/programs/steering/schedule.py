# machine: v100
# real: cpu
# The learning rate is halved on a plateau until it is small; the curriculum gets harder.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev)
opt = torch.optim.Adam(net.parameters(), lr=0.1)
x = torch.randn(128, 4, device=dev)
y = (x.sum(1) > 0).long()
best, bad = float("inf"), 0
while opt.param_groups[0]["lr"] > 1e-4:
    loss = torch.nn.functional.cross_entropy(net(x), y) + 0.01 * torch.rand((), device=dev)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if loss.item() < best - 1e-3:
        best, bad = loss.item(), 0
    else:
        bad += 1
    if bad > 3:
        for g in opt.param_groups:
            g["lr"] *= 0.5
        bad = 0
level, tries = 0, 0
while level < 3:
    hard = x[x.abs().sum(1) > level]
    assert len(hard) > 0
    acc = (net(hard).argmax(1) == (hard.sum(1) > 0).long()).float().mean()
    if acc > 0.7:
        level += 1
    tries += 1
    assert tries < 100, "stuck"
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1)
opt.param_groups[0]["lr"] = 0.1
rounds = 0
while opt.param_groups[0]["lr"] > 1e-3:
    out = net(x)
    plateau.step(torch.nn.functional.cross_entropy(out, y))
    rounds += 1
losses = []
while len(losses) < 10 or max(losses[-5:]) - min(losses[-5:]) > 1e-3:
    loss = torch.nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
