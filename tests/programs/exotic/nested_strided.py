# machine: a100
# real: cpu
# Nested tensors of the strided layout: dtype, device, layers, attention, and gradients through all of it.
import torch
import torch.nn.functional as F

dev = "cuda" if torch.cuda.is_available() else "cpu"
first, second = (torch.randn(n, 8, device=dev, requires_grad=True) for n in (3, 5))
nested = torch.nested.as_nested_tensor([first, second])
assert nested.device.type == dev and nested.requires_grad and nested.size(2) == 8
layer = torch.nn.Linear(8, 4).to(dev)
out = F.gelu(layer(nested))
assert out.is_nested and out.requires_grad and out.device.type == dev
padded = torch.nested.to_padded_tensor(out, 0.0)
assert padded.shape == (2, 5, 4) and padded.device.type == dev
padded.sum().backward()
assert first.grad.shape == (3, 8) and first.grad.device.type == dev and layer.weight.grad.shape == (4, 8)

leaf = torch.nested.nested_tensor([torch.randn(3, 8), torch.randn(2, 8)], device=dev, requires_grad=True)
sum(row.sum() for row in torch.matmul(leaf, leaf.transpose(1, 2)).unbind()).backward()
assert leaf.grad.is_nested

heads = torch.nested.nested_tensor([torch.randn(2, 3, 8), torch.randn(2, 2, 8)], device=dev)
assert F.scaled_dot_product_attention(heads, heads, heads).is_nested
half = torch.nested.nested_tensor([torch.randn(3, 8)], device=dev, dtype=torch.float16)
assert half.dtype is torch.float16 and half.float().dtype is torch.float32 and half.cpu().device.type == "cpu"
with torch.autocast(dev, torch.bfloat16):
    assert layer(nested.detach()).dtype is torch.bfloat16
layer(half)  # finding: operand-dtype-mismatch linear weight
