"""A step of the functional kind, parameters in a dict, makes new bfloat16 parameters that are the old ones."""
import torch
from torch import nn
from torch.func import functional_call, grad

torch.manual_seed(0)
net = nn.LayerNorm(24).bfloat16()
start = {name: value.detach().clone() for name, value in net.named_parameters()}
params = {name: value.detach() for name, value in net.named_parameters()}


def loss_of(params, batch):
    return (functional_call(net, params, (batch,)).float() - batch.float().roll(1)).square().mean()


def updated(params, grads, rate):
    return {name: value - rate * grads[name] for name, value in params.items()}  # fault: half-parameters-without-master


for _ in range(6):
    batch = torch.randn(8, 24).bfloat16()
    params = updated(params, grad(loss_of)(params, batch), 3e-3)


def harm():
    return (params["weight"].float() == start["weight"].float()).float().mean().item()

# right:
#- net = nn.LayerNorm(24).bfloat16()
#+ net = nn.LayerNorm(24)
#-     batch = torch.randn(8, 24).bfloat16()
#+     batch = torch.randn(8, 24)
