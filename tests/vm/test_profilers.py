"""Programs that profile run to their end, and nobody's C++ is told of."""

import pytest
import torch
from torch.autograd import profiler
from torch.profiler import ProfilerActivity, profile, schedule, supported_activities

import miscast

ACTIVITIES = {
    "both": [ProfilerActivity.CPU, ProfilerActivity.CUDA],
    "the device's alone": [ProfilerActivity.CUDA],
    "all there are": None,
}


def checked(program, machine="a100"):
    report = miscast.check(program, machine=machine)
    assert report.failed is None
    assert report.ended is None
    return report


def step():
    model, x = torch.nn.Linear(8, 8, device="cuda"), torch.ones(4, 8, device="cuda")
    model(x).sum().backward()


@pytest.mark.parametrize("name", ACTIVITIES)
def test_torch_profiler(name, capfd):
    told = []

    def program():
        with profile(activities=ACTIVITIES[name], profile_memory=True) as seen:
            step()
        told.extend(one.key for one in seen.key_averages())
        kernels = [one for one in seen.events() if one.device_type == torch.autograd.DeviceType.CUDA]
        told.append(len(kernels))

    checked(program)
    assert "aten::linear" in told
    assert told[-1] == 0
    assert "CUDA used in profiler" not in capfd.readouterr().err


@pytest.mark.filterwarnings("ignore:.*Profiler clears events")  # as an error it makes torch crash
def test_by_schedule():
    ready = []

    def program():
        plan = schedule(wait=1, warmup=1, active=1)
        with profile(activities=ACTIVITIES["both"], schedule=plan, on_trace_ready=ready.append) as seen:
            for _ in range(6):
                step()
                seen.step()

    checked(program)
    assert len(ready) == 2


@pytest.mark.parametrize("options", [{"use_device": "cuda"}, {"use_cuda": True}])
@pytest.mark.filterwarnings("ignore:The attribute `use_cuda`")
def test_the_older_ones(options):
    seen = []

    def program():
        with profiler.profile(**options) as found:
            step()
        seen.extend(found.function_events)
        with torch.cuda.profiler.profile(), profiler.emit_nvtx():
            step()

    checked(program)
    assert seen


def test_what_can_be_recorded():
    found = {}
    for machine in ("a100", "cpu"):
        miscast.check(lambda machine=machine: found.update({machine: supported_activities()}), machine=machine)
    assert ProfilerActivity.CUDA in found["a100"]
    assert found["cpu"] == supported_activities()
