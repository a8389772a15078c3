# machine: v100
# real: cpu
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2)).to(device).eval()
x = torch.randn(2, 3, 8, 8, device=device)
traced = torch.jit.trace(net, x)
traced.save("traced.pt")
torch.jit.save(torch.jit.script(net), "scripted.pt")
for name in ("traced.pt", "scripted.pt"):
    loaded = torch.jit.load(name, map_location=device)
    assert loaded(x).shape == (2, 2) and loaded(x).device == x.device
