# machine: v100
import sys

import torch

torch.zeros(2, device="cuda")
sys.exit(0)
