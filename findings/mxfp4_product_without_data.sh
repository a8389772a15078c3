#!/usr/bin/env bash
# torch 2.13.0: a product of packed float4 with scales per 32 numbers is refused on meta and fake tensors.
# Guessed: the layout that CUDA takes, and that torch.nn.functional.scaled_mm documents for scales, traces, too. A byte
# has two float4; the kernel without data counts bytes, and wants half of the scales. Those per 16 numbers (NVFP4) it
# counts by numbers.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch
from torch.nn.functional import ScalingType, SwizzleType, scaled_mm

rows, inner = 128, 256
kinds = {torch.float8_e4m3fn: (16, ScalingType.BlockWise1x16), torch.float8_e8m0fnu: (32, ScalingType.BlockWise1x32)}
for dtype, (block, kind) in kinds.items():
    packed = torch.empty(rows, inner // 2, dtype=torch.float4_e2m1fn_x2, device="meta")
    scale = torch.empty(rows * inner // block, dtype=dtype, device="meta")
    swizzle = SwizzleType.SWIZZLE_32_4_4
    given = {"swizzle_a": swizzle, "swizzle_b": swizzle, "output_dtype": torch.bfloat16}
    try:
        print(dtype, tuple(scaled_mm(packed, packed.t(), scale, kind, scale, kind, **given).shape))
    except RuntimeError as error:
        print(dtype, str(error)[:58])
#> torch.float8_e4m3fn (128, 128)
#> torch.float8_e8m0fnu for MX scaling scale_a must have 512 (got: 1024) and scale
END
