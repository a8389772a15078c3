"""Brightness in percent times a uint8 picture: the product wraps before it is divided by 100."""
import torch


class Brighten:
    def __init__(self, percent):
        self.percent = percent

    def __call__(self, picture):
        return (picture * self.percent) // 100  # fault: wrap


torch.manual_seed(0)
picture = torch.randint(0, 250, (3, 16, 16), dtype=torch.uint8)
change = Brighten(80)
darker = change(picture)


def harm():
    exact = picture.long() * 80 // 100
    return (darker.long() - exact).abs().float().mean().item() / 255

# right:
#-         return (picture * self.percent) // 100
#+         return (picture.int() * self.percent // 100).to(torch.uint8)
