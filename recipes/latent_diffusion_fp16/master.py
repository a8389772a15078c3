"""float32 copies of half parameters: a half weight cannot take the small steps of an optimizer."""

import torch


class MasterWeights:
    """What the optimizer steps. Parameters that are float32 anyway are stepped themselves."""

    def __init__(self, module):
        self.weights = [p for p in module.parameters() if p.requires_grad]
        self.masters = [p if p.dtype == torch.float32 else p.detach().float().requires_grad_() for p in self.weights]

    def take_gradients(self):
        """Hand the gradients of a backward pass over, in float32, before they are unscaled."""
        for weight, master in zip(self.weights, self.masters):
            if weight is not master:
                master.grad, weight.grad = weight.grad.float(), None

    @torch.no_grad()
    def write_back(self):
        """Round the stepped copies into the module."""
        for weight, master in zip(self.weights, self.masters):
            if weight is not master:
                weight.copy_(master)

    def state_dict(self):
        return {str(n): master.detach() for n, master in enumerate(self.masters)}

    @torch.no_grad()
    def load_state_dict(self, state):
        for n, master in enumerate(self.masters):
            master.copy_(state[str(n)])
