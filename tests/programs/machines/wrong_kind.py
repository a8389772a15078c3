# machine: m1
import torch

x = torch.ones(2).cuda()  # finding: device-not-on-machine cuda
