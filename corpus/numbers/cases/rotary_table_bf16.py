"""The angles of rotary embeddings are computed in the dtype of the model."""
import torch


def rotary_tables(length, head_dim, dtype, base=10000.0):
    inv_freq = 1.0 / base ** (torch.arange(0, head_dim, 2).float() / head_dim)
    positions = torch.arange(length)
    freqs = torch.outer(positions.to(dtype), inv_freq.to(dtype))  # fault: angle-in-half
    emb = torch.cat([freqs, freqs], dim=-1)
    return emb.cos().to(dtype), emb.sin().to(dtype)


def apply_rotary(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-b, a], dim=-1) * sin


torch.manual_seed(0)
query = torch.randn(1, 4, 1500, 64).to(torch.bfloat16)
cos, sin = rotary_tables(1500, 64, query.dtype)
rotated = apply_rotary(query, cos, sin)


def harm():
    inv = 10000.0 ** (-torch.arange(0, 64, 2).double() / 64)
    right = torch.outer(torch.arange(1500).double(), inv).cos()
    error = (cos[:, :32].double() - right).abs().max().item()
    return float((cos[:, :32].double() - right).square().mean().sqrt().item())

# right:
#-     freqs = torch.outer(positions.to(dtype), inv_freq.to(dtype))
#+     freqs = torch.outer(positions.float(), inv_freq)
