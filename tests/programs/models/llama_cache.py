# machine: a100
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


class Block(nn.Module):
    def __init__(self, dim=16, heads=2):
        super().__init__()
        self.heads, self.hd = heads, dim // heads
        self.qkv, self.o = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.norm = nn.RMSNorm(dim)
        self.up, self.gate, self.down = nn.Linear(dim, 32), nn.Linear(dim, 32), nn.Linear(32, dim)
        self.register_buffer("inv_freq", 1.0 / 10000 ** (torch.arange(0, self.hd, 2).float() / self.hd), persistent=False)

    def forward(self, x, past=None):
        b, t, _ = x.shape
        start = past[0].shape[2] if past is not None else 0
        q, k, v = self.qkv(self.norm(x)).view(b, t, 3, self.heads, self.hd).permute(2, 0, 3, 1, 4)
        angles = torch.outer(torch.arange(start, start + t, device=x.device).float(), self.inv_freq.float())
        cos, sin = (torch.cat([f, f], -1).to(x.dtype) for f in (angles.cos(), angles.sin()))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=past is None).transpose(1, 2).reshape(b, t, -1)
        x = x + self.o(y)
        return x + self.down(F.silu(self.gate(x)) * self.up(x)), (k, v)


dev = "cuda" if torch.cuda.is_available() else "cpu"
embed, block = nn.Embedding(30, 16).to(dev, torch.bfloat16), Block().to(dev, torch.bfloat16)
ids = torch.randint(0, 30, (2, 5), device=dev)
with torch.inference_mode():
    h, past = block(embed(ids))
    for _ in range(3):
        logits = F.linear(h[:, -1], embed.weight).float()
        sorted_logits, order = logits.sort(descending=True)
        remove = sorted_logits.softmax(-1).cumsum(-1) > 0.9
        remove[..., 1:] = remove[..., :-1].clone()
        remove[..., 0] = False
        logits = logits.masked_fill(remove.scatter(1, order, remove), -float("inf"))
        ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1)], 1)
        h, past = block(embed(ids[:, -1:]), past)
assert ids.shape == (2, 8) and past[0].dtype == torch.bfloat16
