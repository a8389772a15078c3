"""The guard's figures by W&B, TensorBoard and MLflow themselves, offline, and read back from what they have written."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

import miscast
from miscast.integrations.figures import Figures
from separate import needed, run_separately

TRAINING = """
import torch
from torch import nn

import miscast


def train(follow, bad=3):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.125)
    with miscast.guard(model, optimizer, on_trip="skip", budget=1.0) as guard:
        follow(guard)
        for step in range(1, 5):
            optimizer.zero_grad()
            loss = model(torch.randn(2, 4)).square().mean() / torch.tensor(0.0 if step == bad else 1.0)
            loss.backward()
            optimizer.step()
    return guard


def steps(guard):
    return {line["step"]: line["loss"] for line in guard.last if line["event"] == "step"}
"""

BY = {
    "tensorboard": """
from torch.utils.tensorboard import SummaryWriter
from miscast.integrations import tensorboard
writer = SummaryWriter("runs")
guard = train(lambda guard: tensorboard.follow(guard, writer))
writer.close()
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
read = EventAccumulator("runs")
read.Reload()
told = {one.step: one.value for one in read.Scalars("miscast/loss")}
assert told.keys() == steps(guard).keys() == {1, 2, 3, 4}, told
assert all(abs(told[n] - steps(guard)[n]) < 1e-6 or n == 3 for n in told)
assert {one.value for one in read.Scalars("miscast/lr")} == {0.125}
assert [(one.step, one.value) for one in read.Scalars("miscast/trips")] == [(3, 1.0)]
looked = {f"miscast/update/{path}" for one in guard.last if one["event"] == "weights" for path in one["ratios"]}
assert looked
assert looked <= set(read.Tags()["scalars"])
(trip,) = read.Tensors("miscast/trip/text_summary")
assert b"non-finite  step 3: the loss is inf" in trip.tensor_proto.string_val[0]
""",
    "wandb": """
import wandb
from miscast.integrations import wandb as ours
run = wandb.init(mode="offline", project="p", settings=wandb.Settings(silent=True))
guard = train(lambda guard: ours.follow(guard, run))
assert run.summary["miscast/trip"] == "non-finite  step 3: the loss is inf"
run.finish()
import glob, json, struct, time
from wandb.proto import wandb_internal_pb2
(file,) = glob.glob("wandb/offline-run-*/*.wandb")


def written():
    data, at, part, told, trips = open(file, "rb").read(), 7, b"", {}, []
    while at + 7 <= len(data):  # LevelDB's log: blocks of 32 KiB, records in one piece (1) or several
        if 32768 - at % 32768 < 7:
            at += 32768 - at % 32768
            continue
        _, size, kind = struct.unpack_from("<IHB", data, at)
        if at + 7 + size > len(data):
            break
        part, at = part + data[at + 7 : at + 7 + size], at + 7 + size
        if kind not in (1, 4):
            continue
        record = wandb_internal_pb2.Record()
        record.ParseFromString(part)
        part = b""
        row = {".".join(one.nested_key) or one.key: json.loads(one.value_json) for one in record.history.item}
        if "miscast/loss" in row:
            told[row["miscast/step"]] = row["miscast/loss"]
        if "miscast/trips" in row:
            trips.append((row["miscast/step"], row["miscast/trips"]))
    return told, trips


end = time.monotonic() + 60  # its service may still be writing when `finish` has returned
while len(written()[0]) < 4 and time.monotonic() < end:
    time.sleep(0.1)
told, trips = written()
assert told.keys() == steps(guard).keys() == {1, 2, 3, 4}, told
assert all(told[n] == steps(guard)[n] or n == 3 for n in told)
assert trips == [(3, 1.0)]
""",
    "mlflow": """
import mlflow
from miscast.integrations import mlflow as ours
mlflow.set_tracking_uri("file:store")
try:
    train(ours.follow)
    raise SystemExit("a run was needed")
except mlflow.exceptions.MlflowException as error:
    assert "no run is active" in str(error)
with mlflow.start_run() as run:
    guard = train(ours.follow)
mlflow.flush_async_logging()
client = mlflow.MlflowClient()
told = {one.step: one.value for one in client.get_metric_history(run.info.run_id, "miscast/loss")}
assert told.keys() == steps(guard).keys() == {1, 2, 3, 4}, told
assert all(told[n] == steps(guard)[n] or n == 3 for n in told)
assert client.get_run(run.info.run_id).data.tags["miscast.trip"] == "non-finite  step 3: the loss is inf"
""",
}


@needed
@pytest.mark.slow
def test_read_back(tmp_path):
    quiet = {"MLFLOW_ALLOW_FILE_STORE": "true", "WANDB_SILENT": "true", "GIT_PYTHON_REFRESH": "quiet"}
    told = (f"{source}print({name!r})\n" for name, source in BY.items())
    assert run_separately(tmp_path, "".join([TRAINING, *told]), **quiet).split() == list(BY)


def train(follow):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with miscast.guard(model, optimizer) as guard:
        guard.follow(follow)
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.randn(2, 4)).sum().backward()
            optimizer.step()
    return guard


def test_a_tracker_that_fails_ends_no_training(capsys):
    def broken(*_):
        raise ConnectionError("no\nserver")

    guard = train(Figures("tracker", 1, broken, lambda *_: None))
    assert guard.steps == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("miscast.guard: no more metrics are sent to tracker: ConnectionError: no")


def test_each_so_many_steps():
    told = []
    train(Figures("tracker", 2, lambda found, step: told.append((step, found)), lambda *_: None))
    assert [step for step, found in told if "miscast/loss" in found] == [2, 4]
    assert all(math.isfinite(found["miscast/norm"]) for _, found in told if "miscast/loss" in found)
    with pytest.raises(ValueError, match="every=0: expected 1 step"):
        Figures("tracker", 0, print, print)
