# machine: 2xa100
# help: pass device="cuda" to `torch.zeros` at what_a_module_of_functions_takes.py:7
import torch
import torch.nn.functional as maths

device = torch.device("cuda:0")
table = torch.zeros(4, 4)
maths.embedding_bag(torch.zeros(2, 2, dtype=torch.int64, device=device), table)
