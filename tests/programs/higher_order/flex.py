# machine: h100
# FlexAttention: dtypes, gradients and memory as its kernel has them; what score functions do is judged.
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

dev = "cuda"
q, k = torch.randn(2, 4, 256, 64, device=dev, requires_grad=True), torch.randn(2, 2, 256, 64, device=dev)
mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 256, 256, device=dev)
bias = torch.nn.Parameter(torch.randn(4, device=dev))
out, lse = flex_attention(
    q, k, k, score_mod=lambda s, b, h, i, j: s + bias[h], block_mask=mask, enable_gqa=True, return_lse=True
)
assert out.shape == q.shape and lse.shape == q.shape[:-1] and lse.dtype is torch.float32
out.sum().backward()
assert q.grad.shape == q.shape and bias.grad.shape == (4,)
half = torch.randn(2, 4, 256, 64, device=dev, dtype=torch.bfloat16)
assert torch.compile(flex_attention)(half, half, half, block_mask=mask).dtype is torch.bfloat16
with torch.autocast(dev, dtype=torch.float16):
    assert flex_attention(q, q, q).dtype is torch.float16
assert flex_attention(q, half, half).dtype is torch.float32
assert flex_attention(half, q, half).dtype is torch.bfloat16
before = torch.cuda.memory_allocated()
kept = flex_attention(half, half, half)
assert torch.cuda.memory_allocated() - before < 2 * 4 * 256 * 256
