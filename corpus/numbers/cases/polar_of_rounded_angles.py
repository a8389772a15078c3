"""Angles of an axial rotary table are computed in float16 and made float32 only for `polar`."""
import torch


def axis(length, speeds, dtype):
    places = torch.arange(length, dtype=torch.float32)
    return (places[:, None] * speeds[None, :]).to(dtype)  # fault: angle-in-half


def table(height, width, dim, dtype):
    speeds = 100.0 ** -torch.linspace(0, 1, dim // 4) * torch.pi
    rows, columns = axis(height, speeds, dtype), axis(width, speeds, dtype)
    angles = torch.cat((rows[:, None].expand(-1, width, -1), columns[None].expand(height, -1, -1)), -1).float()
    return torch.polar(torch.ones_like(angles), angles)


turns = table(224, 8, 32, torch.float16)
exact = table(224, 8, 32, torch.float64)


def harm():
    return (turns.to(torch.complex128) - exact).abs().mean().item()

# right:
#- turns = table(224, 8, 32, torch.float16)
#+ turns = table(224, 8, 32, torch.float32)
