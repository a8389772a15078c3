"""A scheduler looks for a timestep by ==, and the caller's timesteps were cast to float16 with the latents: none match."""
import torch


class Scheduler:
    def __init__(self, count):
        self.timesteps = torch.linspace(4000, 0, count).round()

    def index(self, timestep):
        return (self.timesteps - timestep.float()).abs().argmin()


scheduler = Scheduler(1501)
dtype = torch.float16
asked = scheduler.timesteps.to(dtype)  # fault: index-in-half
found = torch.stack([scheduler.index(one) for one in asked[:300]])


def harm():
    return (found != torch.arange(300)).float().mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
