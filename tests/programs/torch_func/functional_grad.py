# machine: a100
# real: cpu
import torch
from torch import nn
from torch.func import functional_call, grad, grad_and_value, hessian, jacrev, jvp, vjp, vmap

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).to(dev)
params = {k: v.detach() for k, v in model.named_parameters()}
x, y = torch.randn(6, 4, device=dev), torch.randn(6, 1, device=dev)


def loss(params, x, y):
    return ((functional_call(model, params, (x,)) - y) ** 2).mean()


g = grad(loss)(params, x, y)
assert g["0.weight"].device == x.device and g["0.weight"].shape == (8, 4)
g, value = grad_and_value(loss)(params, x, y)
per_sample = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
assert per_sample["0.weight"].shape == (6, 8, 4)
out, tangent = jvp(lambda v: functional_call(model, params, (v,)), (x,), (torch.ones_like(x),))
out, pull = vjp(lambda v: functional_call(model, params, (v,)), x)
pull(torch.ones_like(out))
jacrev(lambda v: functional_call(model, params, (v,)))(x[0])
vmap(lambda a, b: (a * b).sum())(x, x)
