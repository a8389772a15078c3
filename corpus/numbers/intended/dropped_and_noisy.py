"""Random numbers, dropout and noise in half precision: they are what they are."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
latents = torch.randn(2, 4, 8, 8).half()
noise = torch.randn_like(latents)
dropped = F.dropout(latents, 0.3)
noisy = 0.8 * latents + 0.6 * noise
gumbel = -torch.log(-torch.log(torch.rand(1000)))
chosen = torch.multinomial(torch.softmax(torch.randn(5, 10), -1).bfloat16(), 2)
mixed = torch.bernoulli(torch.full((8,), 0.5)) * torch.rand(8)
