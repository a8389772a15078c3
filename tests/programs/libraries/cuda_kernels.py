# machine: a100
# note: flash_attn is not installed
# Kernels that no CPU can install: imported all the same, shapes and dtypes as theirs, what they refuse is told.
import torch
import xformers.ops as xops
from apex.normalization import FusedLayerNorm, MixedFusedRMSNorm
from apex.optimizers import FusedAdam
from flash_attn import flash_attn_func, flash_attn_qkvpacked_func, flash_attn_varlen_func
from flash_attn.bert_padding import pad_input, unpad_input

half = {"device": "cuda", "dtype": torch.bfloat16}
q, k = torch.randn(2, 16, 8, 64, **half, requires_grad=True), torch.randn(2, 16, 2, 64, **half)
out = flash_attn_func(q, k, k, 0.1, causal=True)
assert (out.shape, out.dtype) == (q.shape, torch.bfloat16)
out.float().sum().backward()
assert q.grad.shape == q.shape
assert flash_attn_qkvpacked_func(torch.randn(2, 16, 3, 8, 64, **half)).shape == q.shape
mask = torch.ones(2, 16, device="cuda", dtype=torch.long)
rows, indices, lengths, longest, _ = unpad_input(q, mask)
packed = flash_attn_varlen_func(rows, rows, rows, lengths, lengths, longest, longest)
assert pad_input(packed, indices, 2, 16).shape == q.shape and lengths.dtype is torch.int32
assert xops.memory_efficient_attention(q, q, q, attn_bias=xops.LowerTriangularMask()).dtype is torch.bfloat16
norm = FusedLayerNorm(64).cuda()
with torch.autocast("cuda", dtype=torch.float16):
    assert norm(torch.randn(2, 64, device="cuda")).dtype is torch.float16
    assert flash_attn_func(q, k, k).dtype is torch.bfloat16
assert MixedFusedRMSNorm(64).cuda()(q).dtype is torch.float32
optimizer = FusedAdam(norm.parameters(), lr=1e-4)
norm(torch.randn(2, 64, device="cuda")).sum().backward()
optimizer.step()
flash_attn_func(q.float(), k.float(), k.float())  # finding: unsupported-dtype flash_attn_func q
flash_attn_func(q, k.half(), k)  # finding: operand-dtype-mismatch flash_attn_func k
xops.memory_efficient_attention(q, q.float(), q)  # finding: operand-dtype-mismatch memory_efficient_attention key
norm(torch.randn(2, 64, device="cuda").half())  # finding: operand-dtype-mismatch layer_norm weight
