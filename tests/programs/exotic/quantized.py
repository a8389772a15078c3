# machine: cpu
# real: cpu
# Quantized tensors and what is made of them.
import torch

q = torch.quantize_per_tensor(torch.randn(2, 3), 0.1, 0, torch.qint8)
assert q.dtype is torch.qint8 and q.shape == (2, 3) and q.q_scale() == 0.1
assert q.int_repr().dtype is torch.int8 and q.dequantize().dtype is torch.float32
rows = torch.quantize_per_channel(torch.randn(2, 3), torch.ones(2), torch.zeros(2), 0, torch.qint8)
assert rows.q_per_channel_scales().shape == (2,) and rows[0].shape == (3,)
assert (rows.int_repr() + 1).dtype is torch.int8
refused = 0
for use in (lambda: q + 1, lambda: torch.nn.functional.linear(torch.randn(2, 3), q)):
    try:
        use()
    except (RuntimeError, NotImplementedError):
        refused += 1
assert refused == 2
q.dequantize() @ torch.randn(3, 2).half()  # finding: operand-dtype-mismatch matmul other
