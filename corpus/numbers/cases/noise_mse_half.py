"""The validation loss of a nearly converged denoiser is a mean squared error in float16: squares of errors of 1e-4 fall below its smallest numbers."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
losses, pairs = [], []
for batch in range(4):
    noise = torch.randn(8, 4, 16, 16) * 0.1
    predicted = noise + 1.5e-4 * torch.randn(8, 4, 16, 16)
    noise, predicted = noise.half(), predicted.half()  # the denoiser works in float16
    pairs.append((predicted, noise))
    loss = F.mse_loss(predicted, noise)  # fault: underflow
    losses.append(loss.item())
validation = sum(losses) / len(losses)


def harm():
    right = sum(F.mse_loss(p.double(), n.double()).item() for p, n in pairs) / len(pairs)
    return abs(validation - right) / right

# right:
#-     loss = F.mse_loss(predicted, noise)
#+     loss = F.mse_loss(predicted.float(), noise.float())
