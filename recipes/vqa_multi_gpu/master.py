"""Mixed precision for training: float32 copies of half weights, and gradients that are scaled alike on all ranks."""

import torch
import torch.distributed as dist
from parallel import world


class MasterWeights:
    """What the optimizer steps. Parameters that are float32 anyway are stepped themselves."""

    def __init__(self, model):
        """`scale` is for the loss: float16 gradients below 6e-8 would be zero."""
        self.weights = list(model.parameters())
        self.masters = [p if p.dtype == torch.float32 else p.detach().float().requires_grad_() for p in self.weights]
        self.scale = 2.0**12 if any(p.dtype == torch.float16 for p in self.weights) else 1.0

    def take_gradients(self):
        """Hand over the gradients of a backward pass; whether all are finite, on every rank.

        Each rank has seen its own part only. If one skipped a step that the others take, their weights would part.
        """
        for weight, master in zip(self.weights, self.masters):
            gradient, weight.grad = weight.grad, None
            master.grad = gradient.float() / self.scale
        finite = torch.stack([master.grad.isfinite().all() for master in self.masters]).all().float()
        if world() > 1:
            dist.all_reduce(finite, op=dist.ReduceOp.MIN)
        if not finite.item():
            self.scale /= 2
            return False
        return True

    @torch.no_grad()
    def write_back(self):
        """Round the stepped copies into the model."""
        for weight, master in zip(self.weights, self.masters):
            if weight is not master:
                weight.copy_(master)

    def state_dict(self):
        return {"scale": self.scale, "masters": [master.detach() for master in self.masters]}

    @torch.no_grad()
    def load_state_dict(self, state):
        self.scale = state["scale"]
        for master, saved in zip(self.masters, state["masters"]):
            master.copy_(saved)
