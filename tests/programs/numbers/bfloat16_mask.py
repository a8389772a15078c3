# machine: a100
# bfloat16 and float32 hold -1e9; infinity fits every half dtype.
import torch

for dtype in (torch.bfloat16, torch.float32, torch.float64):
    scores = torch.randn(2, 2, device="cuda", dtype=dtype)
    mask = scores > 0
    scores = scores.masked_fill(mask, -1e9)
    scores[mask] = -1e9
    scores = scores + -1e9
    torch.where(mask, -1e9, scores)
    torch.full((2, 2), torch.finfo(dtype).min, dtype=dtype, device="cuda")

half = torch.randn(2, 2, device="cuda").half()
half = half.masked_fill(half > 0, float("-inf"))
half = half.masked_fill(half > 0, torch.finfo(half.dtype).min)
half.masked_fill_(half > 0, -65504)
half[half > 0] = float("-inf")
half.nan_to_num(posinf=1e9)
half * 65536
half > 1e9
torch.full((2,), -1, dtype=torch.uint8, device="cuda")
torch.tensor(float("-inf"), dtype=torch.half, device="cuda")
