# machine: v100
# real: cpu
# Optimise an image until its PSNR is high.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
image = torch.rand(3, 8, 8, device=dev)
guess = torch.nn.Parameter(torch.zeros(3, 8, 8, device=dev))
opt = torch.optim.Adam([guess], lr=0.1)
psnr = 0
while psnr < 30:
    mse = (guess - image).pow(2).mean()
    opt.zero_grad()
    mse.backward()
    opt.step()
    psnr = (-10 * torch.log10(mse)).item()
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
