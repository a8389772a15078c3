# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
audio = nn.Conv1d(1, 4, 5, device=dev)
video = nn.Conv3d(3, 4, 3, device=dev)
wave = torch.zeros(1, 1, 100, device=dev, dtype=torch.float64)
# fixed: wave = torch.zeros(1, 1, 100, device=dev)
audio(wave)  # finding: operand-dtype-mismatch conv1d weight
video(torch.zeros(1, 3, 4, 8, 8, device=dev))
