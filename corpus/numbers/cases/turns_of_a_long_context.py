"""The table of a rotary embedding is a buffer, and goes to bfloat16 with the model: late positions turn by wrong angles."""
import torch
from torch import nn
from torch.nn import functional as F


class Turns(nn.Module):
    def __init__(self, width, base=10_000.0):
        super().__init__()
        self.register_buffer("speeds", 1.0 / base ** (torch.arange(0, width, 2) / width))

    def forward(self, x):
        place = torch.arange(x.shape[-2], device=x.device)
        angle = torch.outer(place.to(self.speeds.dtype), self.speeds)  # fault: angle-in-half
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.turns = Turns(width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        y = F.scaled_dot_product_attention(self.turns(q), self.turns(k), v, is_causal=True)
        return x + self.out(y)


torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(100, 32), Layer(32), nn.Linear(32, 100))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(5):
    ids = torch.randint(0, 100, (2, 64))
    loss = F.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model = model.to(torch.bfloat16).eval()
with torch.no_grad():
    text = torch.randint(0, 100, (1, 900))
    answer = model(text).float().argmax(-1)


def harm():
    probe = torch.ones(900, 32, dtype=torch.float32)
    exact = Turns(32)(probe)
    return (model[1].turns(probe) - exact).abs().mean().item()

# right:
#- model = model.to(torch.bfloat16).eval()
#+ model = model.to(torch.bfloat16).eval()
#+ model[1].turns = Turns(32)
