# machine: a100
import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(2, 8, device="cuda")
linear, norm, conv = nn.Linear(8, 8).cuda(), nn.LayerNorm(8).cuda(), nn.Conv1d(8, 8, 1).cuda()
with torch.autocast("cuda", dtype=torch.float16):
    h = linear(x)
    assert h.dtype == torch.float16
    assert norm(h).dtype == torch.float32
    assert conv(h[..., None]).dtype == torch.float16
    assert h.softmax(-1).dtype == torch.float32 and h.exp().dtype == torch.float32 and h.sum().dtype == torch.float32
    assert (h + x).dtype == torch.float32 and (h * 2).dtype == torch.float16
    assert (h @ h.T).dtype == torch.float16 and torch.cat([h, x]).dtype == torch.float32
    assert F.mse_loss(h, x).dtype == torch.float32
    assert F.scaled_dot_product_attention(*[x[None, None]] * 3).dtype == torch.float16
    assert torch.einsum("ij,kj->ik", x, x).dtype == torch.float16
    with torch.autocast("cuda", enabled=False):
        assert linear(x).dtype == torch.float32
    assert torch.get_autocast_dtype("cuda") == torch.float16 and torch.is_autocast_enabled("cuda")
assert not torch.is_autocast_enabled("cuda")
with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):
    assert F.gelu(linear(x)).dtype == torch.bfloat16
