# machine: cpu
# real: cpu
# Class numbers and pixels in dtypes that are too small for them.
import torch

ignored = torch.full((4,), 255, dtype=torch.uint8)
labels = torch.full((4,), 300, dtype=torch.uint8)  # finding: number-out-of-range full
# fixed: labels = torch.full((4,), 300, dtype=torch.int64)
