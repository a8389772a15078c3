"""Copies of the trained weights in another dtype: what an optimizer steps, and a grad scaler unscales."""

import torch


class MasterWeights:
    """The weights that a model trains, by name; a copy of each that is not of the dtype anyway."""

    def __init__(self, model, dtype):
        self.weights = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
        self.masters = {
            name: weight if weight.dtype == dtype else weight.detach().to(dtype).requires_grad_()
            for name, weight in self.weights.items()
        }

    def pairs(self):
        """Each weight that has a copy, and the copy."""
        pairs = [(weight, self.masters[name]) for name, weight in self.weights.items()]
        return [(weight, master) for weight, master in pairs if weight is not master]

    def take_gradients(self):
        """Hand the gradients of a backward pass over, before they are unscaled."""
        for weight, master in self.pairs():
            master.grad, weight.grad = weight.grad.to(master.dtype), None

    @torch.no_grad()
    def write_back(self):
        """Round the stepped copies into the model."""
        for weight, master in self.pairs():
            weight.copy_(master)

    def state_dict(self):
        return {name: master.detach() for name, master in self.masters.items()}

    @torch.no_grad()
    def load_state_dict(self, state):
        for name, master in self.masters.items():
            master.copy_(state[name])
