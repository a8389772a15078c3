"""Float32 masters, but float16 gradients are divided by the loss scale before they are made float32: they are 0."""
import torch
from torch import nn

torch.manual_seed(0)
scale = 65536.0
model = nn.Linear(16, 1, bias=False).half()
masters = [nn.Parameter(p.detach().float().clone()) for p in model.parameters()]
optimizer = torch.optim.SGD(masters, lr=100.0)
start = masters[0].detach().clone()
for _ in range(5):
    x = torch.randn(64, 16).half()
    loss = (model(x).float() * 1e-6 * torch.randn(64, 1).sign() + 2e-6 * x[:, :1].float()).mean()
    (loss * scale).backward()
    for p, master in zip(model.parameters(), masters):
        p.grad.div_(scale)  # fault: underflow
        master.grad = p.grad.float()
    optimizer.step()
    with torch.no_grad():
        for p, master in zip(model.parameters(), masters):
            p.copy_(master)
            p.grad = None
moved = masters[0].detach() - start


def harm():
    return (moved == 0).float().mean().item()

# right:
#-         p.grad.div_(scale)
#-         master.grad = p.grad.float()
#+         master.grad = p.grad.float().div_(scale)
