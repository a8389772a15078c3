"""Streams, events and graphs can be used as on a real device."""

from __future__ import annotations

import threading

import pytest
import torch

pytestmark = [pytest.mark.usefixtures("believed"), pytest.mark.parametrize("believed", ["4xv100"], indirect=True)]


def test_streams_are_of_a_device() -> None:
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    assert torch.cuda.Stream() != torch.cuda.Stream()
    assert torch.cuda.Stream(device="cuda:1").device == torch.device("cuda:1")
    assert torch.cuda.Stream(2, priority=-1).priority == -1
    with torch.cuda.device(3):
        assert torch.cuda.Stream().device_index == 3
        assert torch.cuda.current_stream(0).device_index == 0
    assert {torch.cuda.current_stream(), torch.cuda.default_stream()} == {torch.cuda.current_stream()}
    assert torch.cuda.ExternalStream(1234, device=1).cuda_stream == 1234


def test_current_stream() -> None:
    side = torch.cuda.Stream(1)
    with torch.cuda.stream(side):
        assert (torch.cuda.current_stream(1), torch.cuda.current_device()) == (side, 1)
    assert (torch.cuda.current_stream(1), torch.cuda.current_device()) == (torch.cuda.default_stream(1), 0)
    with side, side:
        assert torch.accelerator.current_stream() == side
    assert torch.cuda.current_device() == 0
    with torch.cuda.stream(None):
        pass
    torch.cuda.set_stream(side)
    assert torch.cuda.current_stream() == side


def test_another_thread_is_on_device_0() -> None:
    torch.cuda.set_device(2)
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.append(torch.cuda.current_device()))
    thread.start()
    thread.join()
    assert (seen, torch.cuda.current_device()) == ([0], 2)


def test_waiting() -> None:
    side, event = torch.cuda.Stream(), torch.cuda.Event()
    side.wait_stream(torch.cuda.current_stream())
    event.record(side)
    event.wait()
    side.wait_event(event)
    event.synchronize()
    side.synchronize()
    assert side.query()
    assert event.query()
    assert side.record_event().query()


def test_elapsed_time_can_be_divided_by() -> None:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with pytest.raises(ValueError, match="must be recorded"):
        start.elapsed_time(end)
    start.record()
    end.record()
    assert start.elapsed_time(end) > 0
    with pytest.raises(ValueError, match="enable_timing"):
        torch.cuda.Event().elapsed_time(end)


def test_generic_classes() -> None:
    assert isinstance(torch.cuda.Stream(), torch.Stream)
    assert isinstance(torch.Stream("cuda:1"), torch.cuda.Stream)
    assert torch.Stream("cuda:1").device_index == 1
    assert torch.Stream("cpu").device.type == "cpu"
    assert isinstance(torch.Event("cuda", enable_timing=True), torch.cuda.Event)
    assert isinstance(torch.cuda.Event(), torch.Event)


def test_graphs_run_their_body() -> None:
    ran, graph = [], torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=torch.cuda.graph_pool_handle()):
        assert not torch.cuda.is_current_stream_capturing()
        ran.append(1)
    graph.replay()
    graph.reset()
    assert ran == [1]
    module = torch.nn.Linear(1, 1)
    assert torch.cuda.make_graphed_callables(module, (torch.zeros(1),)) is module


def test_ranges() -> None:
    with torch.cuda.nvtx.range("step {}", 1):
        assert torch.cuda.nvtx.range_push("inner") == 1
        torch.cuda.nvtx.range_pop()
        torch.cuda.nvtx.mark("here")
    torch.cuda.nvtx.range_end(torch.cuda.nvtx.range_start("a"))
