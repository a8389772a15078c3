# machine: a100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Embedding(3, 3))
for convert in (nn.Module.half, nn.Module.bfloat16, nn.Module.double, nn.Module.float):
    assert convert(model) is model
    assert model[0].weight.dtype == model[1].running_mean.dtype
    assert model[1].num_batches_tracked.dtype == torch.int64
model.to(torch.float16).to(dev).to(dtype=torch.bfloat16, memory_format=torch.channels_last)
assert model[0].weight.device.type == dev and model[0].weight.dtype == torch.bfloat16
like = torch.zeros(1, dtype=torch.float32, device=dev)
model.to(like)
assert model[0].weight.dtype == torch.float32
with torch.device("meta"):
    big = nn.Linear(1000, 1000)
assert big.weight.is_meta
big.to_empty(device=dev)
big.reset_parameters()
assert big.weight.device.type == dev
big(torch.randn(1, 1000, device=dev)).sum().backward()
model.apply(lambda m: m.train(False)).requires_grad_(False)
model.type(torch.float64)
assert model[0].weight.dtype == torch.float64
