# machine: m1
import torch

x = torch.ones(2).cuda()  # ends: no cuda device
