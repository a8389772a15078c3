"""Timesteps that travel as float16 beside the latents look up the wrong entry of the schedule."""
import torch

torch.manual_seed(0)
schedule = torch.linspace(1, 0, 5000)
chosen = torch.randint(0, 5000, (64,))
carried = chosen.half()  # fault: index-in-half
levels = schedule[carried.long()]


def harm():
    return (carried.long() != chosen).float().mean().item()

# right:
#- carried = chosen.half()
#+ carried = chosen.float()
