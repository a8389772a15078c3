"""Teach a multimodal model to answer questions about images, with LoRA on its language model.

    python recipes/multimodal_lora/train.py --output out                   # trains on a CPU in seconds
    torchrun --nproc-per-node 2 recipes/multimodal_lora/train.py
    miscast check --machine 2xa100 recipes/multimodal_lora/train.py --fault tower-in-list --fault plain-pos-embed

--fault NAME brings a mistake of OmniLMM's issue 318 back, or one of its kind, at its place in the code.
"""

import argparse
import os

import miscast
import torch
import torch.distributed as dist
from answer import DTYPES, write_answers
from data import QuestionDataset, StepSampler, write_data
from entry import expect_batch, expect_model, expect_optimizer, expect_ranks
from master import MasterWeights
from model import SIZES, load_adapter, load_model, save_adapter
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

FAULTS = (
    "tower-in-list",
    "forward-features",
    "plain-pos-embed",
    "type-forgets-device",
    "lora-float32",
    "one-modality",
    "amp-optimizer",
    "device-forgotten",
)


def find_device(rank, faults):
    """The GPU of this process, that of a Mac, or the CPU."""
    if not torch.cuda.is_available():
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    if "device-forgotten" in faults:
        return torch.device("cuda", torch.cuda.current_device())
    torch.cuda.set_device(rank)
    return torch.device("cuda", rank)


def prepare(model, batch, device, faults):
    """A batch of the data loader as the model wants it: dtype and device at once, floats only."""
    if "one-modality" in faults:
        return {name: tensor.to(device) for name, tensor in batch.items()}
    return miscast.cast(batch, like=model, device=device)


def make_optimizer(model, dtype, policy, faults, **options):
    """AdamW for float32 copies: half weights cannot take its small steps, nor a scaler their gradients."""
    masters = MasterWeights(model, dtype if "amp-optimizer" in faults else torch.float32)
    stepped = masters.masters.values()
    if policy is not None:  # it makes such copies itself, where there are none
        return masters, policy.optimizer(stepped, torch.optim.AdamW, **options)
    return masters, torch.optim.AdamW(stepped, **options)


def save_checkpoint(folder, step, model, masters, optimizer, scaler):
    save_adapter(model, f"{folder}/adapter.safetensors")
    save_file(masters.state_dict(), f"{folder}/masters.safetensors")
    state = {"step": step, "optimizer": optimizer.state_dict(), "scaler": scaler.state_dict()}
    torch.save(state, f"{folder}/trainer.pt")


def load_checkpoint(folder, model, masters, optimizer, scaler):
    """Continue where a checkpoint was saved; returns the number of steps done."""
    load_adapter(model, f"{folder}/adapter.safetensors")
    masters.load_state_dict(load_file(f"{folder}/masters.safetensors"))
    state = torch.load(f"{folder}/trainer.pt", weights_only=True)
    optimizer.load_state_dict(state["optimizer"])
    scaler.load_state_dict(state["scaler"])
    return state["step"]


def prepare_data(args, rank, world):
    """A folder of images and questions, written by the first process."""
    folder = f"{args.output}/data"
    if rank == 0:
        write_data(folder, args.images, SIZES[args.size]["vision"]["image_size"])
    if world > 1:
        dist.barrier()
    return folder


def train(model, args, dtype, device, rank, world, policy, faults):
    folder = prepare_data(args, rank, world)
    dataset = QuestionDataset(folder, model.queries)
    masters, optimizer = make_optimizer(model, dtype, policy, faults, lr=args.learning_rate)
    # float16 gradients below 6e-8 are zero: the loss is scaled up before backward, the gradients down again.
    scaler = torch.amp.GradScaler(device.type, enabled=dtype == torch.float16, init_scale=2.0**10)
    autocast = torch.autocast(device.type, dtype=dtype, enabled=args.autocast)
    start = load_checkpoint(args.resume, model, masters, optimizer, scaler) if args.resume else 0
    if args.expect:
        expect_model(model, dtype, device)
        expect_optimizer(masters)
        expect_ranks(dtype, device)

    replica = DistributedDataParallel(model) if world > 1 else model
    sampler = StepSampler(len(dataset), args.batch_size, start, args.steps, rank, world)
    for step, batch in enumerate(DataLoader(dataset, batch_sampler=sampler), start=start + 1):
        torch.manual_seed(step * world + rank)  # a step draws the same, wherever the run began
        batch = prepare(model, batch, device, faults)
        if args.expect:
            expect_batch(model, batch)
        with autocast:
            loss = replica(**batch)
        scaler.scale(loss).backward()
        masters.take_gradients()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(masters.masters.values(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        masters.write_back()
        optimizer.zero_grad(set_to_none=True)
        if rank == 0:
            print(f"step {step}: loss {loss.item():.4f}")

    if rank == 0:
        save_checkpoint(args.output, args.steps, model, masters, optimizer, scaler)
        model.eval()
        with autocast:
            right = write_answers(model, dataset.rows[: args.questions], args.output, dtype, device, faults)
        print(f"answers: right {right:.2f}")


def main():
    parser = argparse.ArgumentParser(description="Train LoRA on the language model of a multimodal model.")
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--dtype", choices=DTYPES, default="fp16")
    parser.add_argument("--weights", choices=DTYPES, help="what the weights are stored in, where it is not --dtype")
    parser.add_argument("--autocast", action="store_true", help="run the forward in an autocast region")
    parser.add_argument("--policy", help="hold all parts to a policy of Miscast, such as 16-true")
    parser.add_argument("--offload", action="store_true", help="keep the vision tower in the CPU's memory")
    parser.add_argument("--expect", action="store_true", help="check model, optimizer, ranks and each modality")
    parser.add_argument("--images", type=int, default=32)
    parser.add_argument("--questions", type=int, default=16, help="how many are asked when it is trained")
    parser.add_argument("--batch-size", type=int, default=8, help="of all processes together")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--learning-rate", type=float, default=3e-3)
    parser.add_argument("--resume", help="the output folder of an earlier run")
    parser.add_argument("--output", default="out")
    parser.add_argument("--fault", action="append", default=[], choices=FAULTS, help="a mistake to bring back")
    args = parser.parse_args()

    faults = frozenset(args.fault)
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    device = find_device(int(os.environ.get("LOCAL_RANK", "0")), faults)
    if world > 1:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    torch.manual_seed(0)
    dtype = DTYPES[args.dtype]
    model = load_model(args.size, device, dtype, DTYPES[args.weights or args.dtype], faults)
    policy = miscast.Policy.parse(args.policy) if args.policy else None
    if policy is not None:
        miscast.apply(model.parts(), policy, device=device)
    if args.offload:
        model.offload(device)
    train(model, args, dtype, device, rank, world, policy, faults)
    if world > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
