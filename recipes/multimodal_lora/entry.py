"""Checks ahead of the first step, so that a mistake is told before a GPU has worked an hour."""

import miscast
import torch.distributed as dist


def expect_model(model, dtype, device):
    """Each tensor of each part is in one dtype on one device: registered or not, in a list or not."""
    for name, part in model.parts().items():
        plain = {
            f"{path}.{key}".lstrip("."): value
            for path, module in part.named_modules()
            for key, value in vars(module).items()
            if hasattr(value, "dtype")
        }
        miscast.expect({**part.state_dict(), **plain}, dtype=dtype, device=device, name=name)


def expect_optimizer(masters):
    """What an optimizer steps is float32, and so are the gradients that a scaler unscales."""
    miscast.expect(masters.masters, dtype="float32", name="optimizer")


def expect_batch(model, batch):
    """Each modality is as the part wants it that takes it."""
    parts = model.parts()
    for name, part in {"pixel_values": "vision_tower", "input_ids": "llm", "labels": "llm"}.items():
        miscast.expect({name: batch[name]}, like={part: parts[part]})


def expect_ranks(dtype, device):
    """All ranks work in one dtype, each on a device of its own."""
    if not dist.is_initialized():
        return
    told = [None] * dist.get_world_size()
    dist.all_gather_object(told, (str(dtype), str(device)))
    if len({dtype for dtype, _ in told}) > 1:
        raise ValueError(f"the ranks differ: {told}")
    if device.type == "cuda" and len({device for _, device in told}) < len(told):
        raise ValueError(f"two ranks are on one device: {told}")
