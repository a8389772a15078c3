# machine: a100
# real: cpu
# Jagged nested tensors: layers, casts, gradients.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
rows = [torch.randn(2, 8), torch.randn(3, 8)]
nested = torch.nested.nested_tensor(rows, layout=torch.jagged, device=dev)
layer = torch.nn.Linear(8, 4).to(dev)
out = layer(nested)
assert out.is_nested and out.device.type == dev and out.dtype is torch.float32
out.values().sum().backward()
assert layer.weight.grad.shape == (4, 8)
assert torch.nn.functional.layer_norm(nested, (8,)).is_nested
assert nested.offsets().tolist() == [0, 2, 5]
assert nested.to(torch.bfloat16).dtype is torch.bfloat16
layer(nested.half())  # finding: operand-dtype-mismatch linear weight
