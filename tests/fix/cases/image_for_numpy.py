# machine: v100
import torch

image = torch.rand(3, 4, 4, device="cuda")
pixels = image.numpy()

# fixed:
#- pixels = image.numpy()
#+ pixels = image.cpu().numpy()
