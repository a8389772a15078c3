# machine: a100
# Products of halves with a result in float32 (since torch 2.8): what is added is of either dtype.
import torch

left = torch.randn(2, 4, 8, device="cuda", dtype=torch.bfloat16)
right = torch.randn(2, 8, 4, device="cuda", dtype=torch.bfloat16)
total = torch.zeros(2, 4, 4, device="cuda")
torch.mm(left[0], right[0], out_dtype=torch.float32, out=total[0])
torch.bmm(left, right, out_dtype=torch.float32)
torch.addmm(total[0], left[0], right[0], out_dtype=torch.float32, out=total[0])
torch.addmm(total[0].bfloat16(), left[0], right[0], out_dtype=torch.float32)
total = torch.baddbmm(total, left, right, out_dtype=torch.float32)
assert total.dtype is torch.float32
assert total.shape == (2, 4, 4)

half = torch.zeros(4, 4, device="cuda", dtype=torch.float16)  # origin
# fixed: half = torch.zeros(4, 4, device="cuda")
torch.addmm(half, left[0], right[0], out_dtype=torch.float32)  # finding: operand-dtype-mismatch addmm self
torch.mm(left[0], right[0], out_dtype=torch.float32)
