"""Statistics in float64 on purpose, cast back before they are used."""
import torch

torch.manual_seed(0)
samples = torch.randn(1000, 8) * 3 + 7
wide = samples.double()
mean, spread = wide.mean(0).float(), wide.std(0).float()
normal = (samples - mean) / spread
