# machine: a100
"""Train a ControlNet beside a frozen UNet in bfloat16."""

import torch
import torch.nn.functional as F
from diffusers import ControlNetModel, DDPMScheduler, UNet2DConditionModel

BLOCKS = {
    "block_out_channels": (8, 16),
    "layers_per_block": 1,
    "norm_num_groups": 4,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
    "cross_attention_dim": 16,
    "attention_head_dim": 2,
}


class ControlTrainer:
    def __init__(self, device, dtype):
        self.device, self.dtype = device, dtype
        self.unet = UNet2DConditionModel(sample_size=8, up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), **BLOCKS)
        self.unet.requires_grad_(False)
        self.unet.to(device, dtype)
        self.control = ControlNetModel(conditioning_embedding_out_channels=(4, 8), **BLOCKS).to(device)
        self.scheduler = DDPMScheduler()
        self.optimizer = torch.optim.AdamW(self.control.parameters(), lr=1e-4)

    def residuals(self, noisy, t, context, hint):
        down, mid = self.control(noisy.float(), t, context.float(), controlnet_cond=hint, return_dict=False)
        return [one.to(self.dtype) for one in down], mid.to(self.dtype)

    def step(self, latents, hint, context):
        latents = latents.to(self.device, dtype=self.dtype)
        context = context.to(self.device, dtype=self.dtype)
        hint = hint.to(self.device)
        noise = torch.randn_like(latents)
        t = torch.randint(0, 1000, (latents.shape[0],), device=self.device)
        noisy = self.scheduler.add_noise(latents, noise, t)
        down, mid = self.residuals(noisy, t, context, hint)
        predicted = self.unet(
            noisy, t, context, down_block_additional_residuals=down, mid_block_additional_residual=mid
        ).sample
        loss = F.mse_loss(predicted.float(), noise.float())
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.item()


def canny(images):
    gray = images.mean(dim=1, keepdim=True)
    sobel = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])[None, None]
    gx, gy = F.conv2d(gray, sobel, padding=1), F.conv2d(gray, sobel.transpose(2, 3), padding=1)
    return ((gx**2 + gy**2).sqrt() > 0.5).float().expand(-1, 3, -1, -1)


def main():
    torch.manual_seed(0)
    trainer = ControlTrainer("cuda" if torch.cuda.is_available() else "cpu", torch.bfloat16)
    for step in range(2):
        images = torch.rand(2, 3, 16, 16)
        loss = trainer.step(torch.randn(2, 4, 8, 8), canny(images), torch.randn(2, 6, 16))
        print(f"step {step}: loss {loss:.3f}")


if __name__ == "__main__":
    main()
