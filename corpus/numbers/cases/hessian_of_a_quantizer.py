"""A GPTQ-like quantizer adds up the Hessian of a layer's inputs over calibration batches, in the layer's float16."""
import torch
from torch import nn


class Calibration:
    def __init__(self, layer):
        self.hessian = torch.zeros(layer.in_features, layer.in_features, dtype=layer.weight.dtype)
        self.handle = layer.register_forward_hook(self.add_batch)

    def add_batch(self, layer, args, out):
        x = args[0].flatten(0, -2)
        self.hessian += x.T @ x  # fault: accumulate-in-half


torch.manual_seed(0)
layer = nn.Linear(16, 8).half()
calibration = Calibration(layer)
batches = [torch.randn(1, 8, 16).half() for _ in range(3000)]
with torch.no_grad():
    for batch in batches:
        layer(batch)
calibration.handle.remove()


def harm():
    x = torch.cat(batches).flatten(0, 1).double()
    exact = (x.T @ x).diagonal()
    return (calibration.hessian.double().diagonal() / exact - 1).abs().mean().item()

# right:
#-         self.hessian = torch.zeros(layer.in_features, layer.in_features, dtype=layer.weight.dtype)
#+         self.hessian = torch.zeros(layer.in_features, layer.in_features)
