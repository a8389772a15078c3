"""PSNR of two uint8 pictures: differences wrap at 0, and their squares at 256."""
import torch


def psnr(a, b):
    mse = ((a - b) ** 2).float().mean()  # fault: wrap
    return 20 * torch.log10(255.0 / mse.sqrt())


torch.manual_seed(0)
clean = torch.randint(60, 200, (3, 32, 32))
noisy = (clean + torch.randn(3, 32, 32) * 20).round().clamp(0, 255)
clean, noisy = clean.to(torch.uint8), noisy.to(torch.uint8)
value = psnr(clean, noisy)


def harm():
    mse = (clean.double() - noisy.double()).square().mean()
    return abs(value.item() / (20 * torch.log10(255 / mse.sqrt())).item() - 1)

# right:
#- value = psnr(clean, noisy)
#+ value = psnr(clean.float(), noisy.float())
