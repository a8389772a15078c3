# machine: v100
# real: cpu
# SNR in decibels, until it is low enough.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
signal = torch.rand(1000, device=dev)
sigma, snr = 0.01, 100.0
while snr > 10:
    noise = sigma * torch.randn(1000, device=dev)
    snr = 10 * torch.log10(signal.pow(2).mean() / noise.pow(2).mean()).item()
    sigma *= 1.3
psnr = lambda a, b: (10 * torch.log10(1 / (a - b).pow(2).mean())).item()
guess = torch.zeros(1000, device=dev)
while psnr(guess, signal) < 25:
    guess = guess + 0.2 * (signal - guess)
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
