# machine: v100
import numpy as np
import torch
from torch import nn

weight_dtype = torch.float16
device = torch.device("cuda")
net = nn.Linear(8, 8).to(device, weight_dtype)
cached = [torch.from_numpy(row) for row in np.ones((4, 8), np.float32)]
for batch in torch.utils.data.DataLoader(cached, batch_size=2):
    latents = batch.to(device)
    noisy = latents + torch.randn_like(latents)
    net(noisy)

# fixed:
#-     latents = batch.to(device)
#+     latents = batch.to(device, weight_dtype)
