"""Positions are shrunk to the trained length in float16: neighbours beyond 2048 are one."""
import torch


def stretched(length, trained, dtype):
    places = torch.arange(length).to(dtype)  # fault: index-in-half
    return places * (trained / length)


class Bias:
    def __init__(self, trained):
        self.trained = trained

    def __call__(self, length):
        places = stretched(length, self.trained, torch.float16)
        return places[None] - places[:, None]


bias = Bias(512)(4096)


def harm():
    exact = torch.arange(4096).double() * 0.125
    return (bias[0].double() - exact).abs().mean().item()

# right:
#-         places = stretched(length, self.trained, torch.float16)
#+         places = stretched(length, self.trained, torch.float32)
