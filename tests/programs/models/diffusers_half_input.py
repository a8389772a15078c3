# machine: v100
# real: cpu
import torch
from diffusers import DDIMScheduler, UNet2DConditionModel

dev = "cuda" if torch.cuda.is_available() else "cpu"
dtype = torch.bfloat16 if dev == "cpu" else torch.float16
unet = UNet2DConditionModel(
    sample_size=8, block_out_channels=(8, 8), layers_per_block=1, cross_attention_dim=8, norm_num_groups=4, attention_head_dim=2,
    down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
).to(dev, dtype)
scheduler = DDIMScheduler()
scheduler.set_timesteps(3)
x = torch.randn(1, 4, 8, 8, device=dev, dtype=dtype)
prompt = torch.randn(1, 4, 8, device=dev)
# fixed: prompt = torch.randn(1, 4, 8, device=dev, dtype=dtype)
with torch.no_grad():
    for t in scheduler.timesteps:
        noise = unet(scheduler.scale_model_input(x, t), t, encoder_hidden_states=prompt).sample  # finding: operand-dtype-mismatch linear input  # consequence: operand-dtype-mismatch linear input
        x = scheduler.step(noise, t, x).prev_sample
