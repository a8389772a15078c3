# machine: v100
import numpy as np
import torch
import torch.nn.functional as F
from torch.func import functional_call, grad, hessian, jacrev, jvp, vmap

device = "cuda" if torch.cuda.is_available() else "cpu"
net = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).to(device)
params = dict(net.named_parameters())
x = torch.tensor(np.random.rand(3, 5, 1), dtype=torch.float, device=device)
y = torch.tensor(np.random.rand(3, 5, 1), dtype=torch.float)  # origin
# fixed: y = torch.tensor(np.random.rand(3, 5, 1), dtype=torch.float, device=device)


def loss(p, x, y):
    return F.mse_loss(functional_call(net, p, (x,)), y)  # finding: operand-device-mismatch mse_loss target


def adapted(x, y):
    gradients = grad(loss)(params, x, y)
    return loss({k: p - 0.1 * gradients[k] for k, p in params.items()}, x, y)


vmap(adapted)(x, y).mean().backward()
assert net[0].weight.grad.device == x.device
z = torch.randn(4)
print(hessian(lambda t: t.sin().sum())(z).shape, jacrev(torch.sin)(z).shape, jvp(torch.sin, (z,), (torch.ones(4),))[1])
print(vmap(lambda row: (row > 0).any(), in_dims=1)(torch.randn(4, 3)), vmap(torch.argmax)(x[..., 0]).shape)
