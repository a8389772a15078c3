# machine: a100
# real: cpu
# Ops that take functions run them; a mistake in one is found where it is.
import torch
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as mapped
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(3, 3, device=dev)
assert torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)).shape == (3, 3)
i, y = while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.zeros((), dtype=torch.long, device=dev), x))
assert y.shape == (3, 3) and i.item() == 3
assert scan(lambda c, x: (c + x, c * x), torch.zeros(3, device=dev), x)[1].shape == (3, 3)
assert associative_scan(lambda a, b: a + b, x, 0, combine_mode="generic").shape == (3, 3)
assert mapped(lambda x, y: x + y, x, torch.ones(3, device=dev)).shape == (3, 3)
weight = torch.randn(3, 3, device=dev).bfloat16()
# fixed: weight = torch.randn(3, 3, device=dev)
mapped(lambda row, w: w @ row, x, weight)  # finding: operand-dtype-mismatch matmul other
