# machine: b200
# A product of packed float4 with scales in blocks: torch's kernel without data counts half of the scales.
import torch
from torch.nn import functional as F

if hasattr(F, "scaled_mm"):
    a = torch.zeros(128, 128, dtype=torch.uint8, device="cuda").view(torch.float4_e2m1fn_x2)
    b = torch.zeros(256, 128, dtype=torch.uint8, device="cuda").view(torch.float4_e2m1fn_x2).t()
    scale_a = torch.ones(128 * 8, device="cuda").to(torch.float8_e8m0fnu)
    scale_b = torch.ones(256 * 8, device="cuda").to(torch.float8_e8m0fnu)
    mx, swizzle = F.ScalingType.BlockWise1x32, F.SwizzleType.SWIZZLE_32_4_4
    bias = torch.ones(256, dtype=torch.bfloat16, device="cuda")
    out = F.scaled_mm(
        a, b, scale_a, mx, scale_b, mx, swizzle_a=swizzle, swizzle_b=swizzle, bias=bias, output_dtype=torch.bfloat16
    )
    assert out.dtype == torch.bfloat16
    assert out.shape == (128, 256)
