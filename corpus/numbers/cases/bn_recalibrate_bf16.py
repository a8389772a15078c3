"""The running statistics of a BatchNorm are cast to bfloat16 with the rest of the model."""
import torch
import torch.nn as nn


class Backbone(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 3, padding=1)
        self.bn = nn.BatchNorm2d(channels, momentum=0.01)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


torch.manual_seed(0)
backbone = Backbone()
nn.init.normal_(backbone.conv.weight, std=0.2)
backbone = backbone.to(torch.bfloat16)  # fault: state-in-half
images = torch.randn(16, 3, 12, 12).to(torch.bfloat16)

# adapt the BatchNorm statistics to the new domain, no weight is trained
backbone.train()
with torch.no_grad():
    for _ in range(300):
        backbone(images)
backbone.eval()


def harm():
    conv = backbone.conv(images).detach().double().transpose(0, 1).flatten(1)
    decay = 0.99 ** 300
    right = decay + (1 - decay) * conv.var(1)
    error = ((backbone.bn.running_var.double() - right) / right).abs().max().item()
    return float(error)

# right:
#- backbone = backbone.to(torch.bfloat16)
#+ backbone.conv.to(torch.bfloat16)
