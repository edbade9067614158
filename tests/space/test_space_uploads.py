from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="the extra `space` is not installed")

from starlette.requests import Request

from evaluate_shelf.submissions.contents import ARCHIVE_BYTES
from space.serving.answers import NotDoneError
from space.serving.forms import WantedModel
from space.serving.gate import Receive
from space.serving.uploads import Pace, Uploads, asked


def _request(receive: Receive) -> Request:
    headers = [(b"content-type", b"application/zip")]
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


def test_a_body_that_does_not_say_its_length_is_cut_off(tmp_path: Path) -> None:
    sent = 0

    async def endless() -> dict[str, Any]:
        nonlocal sent
        sent += 2**20
        return {"type": "http.request", "body": bytes(2**20), "more_body": True}

    async def receive() -> None:
        with pytest.raises(NotDoneError) as refused:
            async with Uploads(tmp_path).received(_request(endless), "192.0.2.1"):
                pytest.fail("it was taken")
        assert refused.value.status == 413

    asyncio.run(receive())
    assert sent == ARCHIVE_BYTES + 2**20
    assert list(tmp_path.iterdir()) == []


def test_an_archive_that_does_not_arrive_holds_no_place_for_ever(tmp_path: Path) -> None:
    async def nothing() -> dict[str, Any]:
        return await asyncio.Future()

    async def receive() -> None:
        uploads = Uploads(tmp_path, Pace(idle=0.01))
        for _ in range(20):
            with pytest.raises(NotDoneError) as refused:
                async with uploads.received(_request(nothing), "192.0.2.1"):
                    pytest.fail("it was taken")
            assert refused.value.status == 408

    asyncio.run(receive())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pace", [Pace(rate=1e15, grace=0.05), Pace(total=0.05)], ids=str)
def test_what_comes_byte_by_byte_holds_no_place_for_long(tmp_path: Path, pace: Pace) -> None:
    async def dribble() -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"type": "http.request", "body": b"P", "more_body": True}

    async def receive() -> None:
        with pytest.raises(NotDoneError) as refused:
            async with Uploads(tmp_path, pace).received(_request(dribble), "192.0.2.1"):
                pytest.fail("it was taken")
        assert refused.value.status == 408

    asyncio.run(asyncio.wait_for(receive(), 60))
    assert list(tmp_path.iterdir()) == []


def test_a_short_body_does_not_wait_for_ever_either() -> None:
    async def nothing() -> dict[str, Any]:
        return await asyncio.Future()

    async def receive() -> None:
        headers = [(b"content-type", b"application/json")]
        request = Request({"type": "http", "method": "POST", "headers": headers}, nothing)
        with pytest.raises(NotDoneError) as refused:
            await asked(request, WantedModel, Pace(idle=0.01))
        assert refused.value.status == 408

    asyncio.run(receive())


@given(
    pace=st.builds(
        Pace,
        st.floats(1, 60),
        st.floats(1_000, 100_000),
        st.floats(1, 60),
        st.floats(60, 600),
    ),
    waits=st.lists(st.floats(0.001, 30), max_size=40),
    size=st.integers(0, 10_000),
)
def test_what_is_taken_keeps_the_pace(pace: Pace, waits: list[float], size: int) -> None:
    passed, got = 0.0, 0
    for wait in waits:
        if wait > pace.seconds(passed, got):
            break
        passed, got = passed + wait, got + size
        assert wait <= pace.idle
        assert passed <= pace.total
        assert passed <= pace.grace + (got - size) / pace.rate + 1e-6


@pytest.mark.parametrize(
    "addresses",
    [["192.0.2.1"] * 6, [f"2001:db8::{own}" for own in range(6)], ["::ffff:192.0.2.1"] * 6],
    ids=str,
)
def test_one_customer_does_not_take_all_places(tmp_path: Path, addresses: list[str]) -> None:
    async def nothing() -> dict[str, Any]:
        return await asyncio.Future()

    async def receive() -> None:
        uploads = Uploads(tmp_path)

        async def send(address: str) -> None:
            async with uploads.received(_request(nothing), address):
                pytest.fail("it was taken")

        waiting = [asyncio.create_task(send(mine)) for mine in addresses]
        done, left = await asyncio.wait(waiting, timeout=0.05)
        assert [type(task.exception()) for task in done] == [NotDoneError] * 2
        other = asyncio.create_task(send("192.0.2.2"))
        assert await asyncio.wait([other], timeout=0.05) == (set(), {other})
        for task in (*left, other):
            task.cancel()
        await asyncio.wait([*left, other])

    asyncio.run(receive())


def test_who_goes_away_leaves_nothing(tmp_path: Path) -> None:
    messages = iter(
        [
            {"type": "http.request", "body": b"PK", "more_body": True},
            {"type": "http.disconnect"},
        ]
    )

    async def gone() -> dict[str, Any]:
        return next(messages)

    async def receive() -> None:
        with pytest.raises(NotDoneError, match="broke off"):
            async with Uploads(tmp_path).received(_request(gone), "192.0.2.1"):
                pytest.fail("it was taken")

    asyncio.run(receive())
    assert list(tmp_path.iterdir()) == []
