# machine: a100
# No kernel for this dtype here; and ops that take no such dtype anywhere.
import torch
import torch.nn.functional as F

rotation = torch.eye(3, device="cuda").half()
inverse = torch.linalg.inv(rotation)  # finding: unsupported-dtype linalg_inv A
# fixed: inverse = torch.linalg.inv(rotation.float()).to(rotation.dtype)
torch.cdist(rotation, rotation)  # finding: unsupported-dtype cdist x1
# fixed: torch.cdist(rotation.float(), rotation.float()).to(rotation.dtype)
assert (inverse @ rotation).dtype == torch.float16  # the run goes on as if there were one
labels = torch.zeros(4, device="cuda")
F.one_hot(labels, 3)  # finding: operand-dtype-not-accepted one_hot self
# fixed: F.one_hot(labels.long(), 3)
