# machine: v100
# real: cpu
import numpy as np
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
image = np.load("image.npy")
x = torch.from_numpy(image).permute(2, 0, 1)[None].to(dev).float() / 127.5 - 1
kernel = torch.as_tensor(np.ones((3, 1, 3, 3), dtype=np.float32) / 9, device=dev)
blurred = torch.nn.functional.conv2d(x, kernel, groups=3, padding=1)
back = ((blurred[0].permute(1, 2, 0) + 1) * 127.5).clamp(0, 255).to(torch.uint8).cpu().numpy()
assert back.shape == (16, 16, 3) and back.dtype == np.uint8
weights = torch.tensor(np.linspace(0, 1, 8))
assert weights.dtype == torch.float64
print(np.mean([x.mean().item(), float(kernel.sum())]), np.array(torch.ones(3)), weights.numpy().sum())
assert torch.from_numpy(np.array([1, 2])).dtype == torch.int64
