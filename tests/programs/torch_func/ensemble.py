# machine: a100
# real: cpu
import copy

import torch
from torch import nn
from torch.func import functional_call, stack_module_state

dev = "cuda" if torch.cuda.is_available() else "cpu"
models = [nn.Linear(4, 2).to(dev) for _ in range(3)]
params, buffers = stack_module_state(models)
base = copy.deepcopy(models[0]).to("meta")
x = torch.randn(5, 4, device=dev)
out = torch.vmap(lambda p, b: functional_call(base, (p, b), (x,)), randomness="different")(params, buffers)
assert out.shape == (3, 5, 2) and out.device == x.device
