# machine: a100
# real: cpu
# bfloat16 is unknown to numpy: saving a debug image fails.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
decoded = torch.rand(3, 8, 8, device=dev).to(torch.bfloat16)
image = (decoded * 255).cpu().numpy()  # finding: unsupported-dtype Tensor.numpy self
# fixed: image = (decoded.float() * 255).cpu().numpy()
print(image.shape)
