"""An int8 linear layer multiplies int8 by int8 before it sums: the products wrap at 127."""
import torch

torch.manual_seed(0)
inputs = torch.randn(16, 64)
weight = torch.randn(32, 64) * 0.1


def quantize(x):
    scale = x.abs().max() / 127
    return (x / scale).round().to(torch.int8), scale


q_inputs, s_inputs = quantize(inputs)
q_weight, s_weight = quantize(weight)
products = q_inputs[:, None, :] * q_weight[None]  # fault: wrap
total = products.sum(-1)
output = total.float() * (s_inputs * s_weight)


def harm():
    right = q_inputs.double() @ q_weight.double().T * (s_inputs * s_weight).double()
    return ((output.double() - right).norm() / right.norm()).item()

# right:
#- products = q_inputs[:, None, :] * q_weight[None]
#+ products = q_inputs[:, None, :].int() * q_weight[None].int()
