# machine: a100
# real: cpu
# A library that puts functions of its own in place of torch's factories, as DeepSpeed's zero.Init does.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"


def placed(make):
    def made(*args, **kwargs):
        kwargs.setdefault("device", dev)
        tensor = make(*args, **kwargs)
        if tensor.is_floating_point():
            tensor.data = tensor.data.to(torch.bfloat16)
        return tensor

    return made


own = {name: getattr(torch, name) for name in ("empty", "zeros", "ones", "full", "arange", "tensor")}
for name, make in own.items():
    setattr(torch, name, placed(make))
rates = 1.0 / (10000 ** (torch.arange(0, 8, 2, dtype=torch.float) / 8))
layer = torch.nn.Linear(4, 4, device=dev, dtype=torch.bfloat16)
mask = torch.ones(3, 4) > 0
picked = torch.full((3, 4), 2.0)[mask]
steps = torch.tensor([1.0, 2.0])
for name, make in own.items():
    setattr(torch, name, make)
assert (rates.dtype, rates.device.type) == (torch.bfloat16, dev)
assert picked.shape == (12,)
assert steps.tolist() == [1.0, 2.0]
if len(picked) == 12:
    layer(rates)
    layer(rates.float())  # finding: operand-dtype-mismatch linear input
