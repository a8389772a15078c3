"""In which precision a model runs: a switch with three positions, read at one place, and the same on all ranks."""

from contextlib import nullcontext

import torch
import torch.distributed as dist
from models import SIZES, CogAgent
from parallel import join_ranks, rank, world

FAULTS = ("two-way-test", "both-switches", "one-rank-otherwise", "float32-bias", "native-resolution")


def read_switches(parser):
    """What the program was started with."""
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--autocast", action="store_true", help="run the forward in an autocast region")
    parser.add_argument("--policy", help="hold the model to a policy of Miscast, such as 16-true")
    parser.add_argument("--fault", action="append", default=[], choices=FAULTS, help="a mistake to bring back")
    args = parser.parse_args()
    if args.fp16 and args.bf16 and "both-switches" not in args.fault:
        parser.error("--fp16 or --bf16, not both")
    return args, frozenset(args.fault)


def model_dtype(args):
    if args.fp16:
        return torch.float16
    return torch.bfloat16 if args.bf16 else torch.float32


def check_agreed(dtype):
    """Raises ValueError where a rank was started in another precision."""
    if world() > 1:
        dtypes = [None] * world()
        dist.all_gather_object(dtypes, dtype)
        for other, theirs in enumerate(dtypes):
            if theirs != dtypes[0]:
                raise ValueError(
                    f"rank {other} was started in {theirs}, rank 0 in {dtypes[0]}: give all the same switch"
                )


def set_up(args, faults):
    """The model, split over the ranks, and the device of this one."""
    device = join_ranks()
    if "one-rank-otherwise" in faults:
        if rank() == world() - 1:
            args.fp16 = not args.fp16  # the launch script of the last machine says otherwise
    else:
        check_agreed(model_dtype(args))

    torch.manual_seed(0)
    model = CogAgent(**SIZES[args.size])
    model.to(device, model_dtype(args))
    if "float32-bias" in faults:
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.data = parameter.data.float()
    if args.policy:
        import miscast

        miscast.apply(model, miscast.Policy.parse(args.policy))
    return model, device


def scaled_image(image, args, faults):
    """Of bytes (batch, 3, height, width), what the model takes: between -1 and 1, in its dtype."""
    if "two-way-test" in faults:
        image = image.to(torch.bfloat16 if args.bf16 else torch.float16)
    else:
        image = image.to(model_dtype(args))
    return image / 127.5 - 1


def cast_region(args, device):
    """Autocast in the dtype of the weights, or nothing."""
    return torch.autocast(device.type, dtype=model_dtype(args)) if args.autocast else nullcontext()
