# machine: v100
import numpy as np
import torch

x = torch.rand(3, 4, device="cuda")
host = x.cpu().numpy()
print(host.mean(), np.asarray(x.cpu()).shape)
image = x.numpy()  # finding: device-data-as-numpy Tensor.numpy self
# fixed: image = x.cpu().numpy()
