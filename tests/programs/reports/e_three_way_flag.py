# machine: 4xv100
# CogVLM #282: a two-way test of a three-way setting. Without a flag the model stays float32, the input becomes half.
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--bf16", action="store_true")
parser.add_argument("--fp16", action="store_true")
args = parser.parse_args()
model = nn.Conv2d(3, 8, 4, 4).cuda()
if args.fp16:
    model = model.half()
elif args.bf16:
    model = model.bfloat16()
image = torch.rand(1, 3, 8, 8, device="cuda")
image = image.to(torch.bfloat16 if args.bf16 else torch.float16)
# fixed: image = image.to(model.weight.dtype)
model(image)  # finding: operand-dtype-mismatch conv2d weight
