# machine: v100
# real: cpu
import copy
import io
import pickle

import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).to(dev)
twin = copy.deepcopy(model)
assert twin[0].weight.device == model[0].weight.device and twin[0].weight is not model[0].weight
assert isinstance(twin[0].weight, nn.Parameter)
back = pickle.loads(pickle.dumps(model))
assert back[0].weight.device.type == dev
x = torch.randn(2, 4, device=dev)
back(x), twin(x), copy.copy(model)(x)
buffer = io.BytesIO()
torch.save(model, buffer)
buffer.seek(0)
loaded = torch.load(buffer, map_location=dev, weights_only=False)
loaded(x).sum().backward()
t = copy.deepcopy({"a": [torch.ones(2, device=dev)], "b": (x,)})
assert t["a"][0].device.type == dev
