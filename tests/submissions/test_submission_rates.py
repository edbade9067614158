from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_runs import Clock, store_in

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.database import Database
from evaluate_shelf.submissions.holdings import DATABASE
from evaluate_shelf.submissions.rates import (
    ADDRESS_LIMITS,
    DAY,
    USER_LIMITS,
    RateError,
    network_of,
    take,
)

MODELS = USER_LIMITS["model"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path, clock: Clock) -> Database:
    return store_in(tmp_path / "store", clock).database


def fill(database: Database, user: str, address: str | None = None) -> None:
    for _ in range(MODELS.most):
        take(database, "model", user=user, address=address)


def test_a_user_has_so_many_in_a_window_that_slides(database: Database, clock: Clock) -> None:
    take(database, "model", user="ann", address=None)
    clock.forward(100)
    for _ in range(MODELS.most - 1):
        take(database, "model", user="ann", address=None)
    clock.forward(MODELS.seconds - 101)
    with pytest.raises(RateError) as caught:
        take(database, "model", user="ann", address=None)
    assert caught.value.seconds == pytest.approx(1)
    clock.forward(1)
    # The first has left the window, the others have not.
    take(database, "model", user="ann", address=None)
    with pytest.raises(RateError):
        take(database, "model", user="ann", address=None)


def test_what_is_refused_does_not_count(database: Database, clock: Clock) -> None:
    fill(database, "ann")
    for _ in range(50):
        with pytest.raises(RateError):
            take(database, "model", user="ann", address=None)
    clock.forward(MODELS.seconds)
    fill(database, "ann")


def test_users_and_kinds_are_counted_apart(database: Database) -> None:
    fill(database, "ann")
    fill(database, "ben")
    take(database, "run", user="ann", address=None)


def test_an_address_is_limited_under_any_names(database: Database) -> None:
    for number in range(ADDRESS_LIMITS["model"].most):
        take(database, "model", user=f"user{number}", address="192.0.2.1")
    for address in ("192.0.2.1", "::ffff:192.0.2.1"):
        with pytest.raises(RateError):
            take(database, "model", user="another", address=address)
    # The user was not charged for it.
    take(database, "model", user="another", address="192.0.2.2")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("192.0.2.1", "192.0.2.2", False),
    ],
)
def test_addresses_of_one_customer_are_one(one: str, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same


@pytest.mark.parametrize("address", ["", "localhost", "1.2.3", "1.2.3.4, 5.6.7.8", "<b>"])
def test_what_is_no_address_is_refused_and_not_counted(database: Database, address: str) -> None:
    with pytest.raises(ShelfError, match="no IP address"):
        take(database, "model", user="ann", address=address)
    fill(database, "ann")


def test_addresses_and_users_are_not_kept_as_they_are(database: Database) -> None:
    take(database, "model", user="ann-who-is-unique", address="192.0.2.77")
    assert b"192.0.2.77" not in database.path.read_bytes()
    assert b"ann-who-is-unique" not in database.path.read_bytes()


def test_nothing_is_kept_for_longer_than_a_day(database: Database, clock: Clock) -> None:
    fill(database, "ann", "192.0.2.1")
    clock.forward(DAY)
    take(database, "request", user="ben", address=None)
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM rates").fetchone()[0] == 1


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, int(DAY) // 4)), max_size=40))
def test_the_window_is_that_of_a_plain_count(steps: list[tuple[str, int]]) -> None:
    clock = Clock()
    counted: list[tuple[str, float]] = []
    with TemporaryDirectory() as place:
        database = store_in(Path(place) / "s", clock).database
        assert database.path.name == DATABASE
        for user, seconds in steps:
            clock.forward(seconds)
            within = [t for own, t in counted if own == user and t > clock.now - MODELS.seconds]
            try:
                take(database, "model", user=user, address=None)
            except RateError:
                assert len(within) >= MODELS.most
            else:
                assert len(within) < MODELS.most
                counted.append((user, clock.now))


@pytest.mark.parametrize("back", [3_600.0, DAY, 10 * DAY])
def test_a_clock_that_is_set_back_shuts_nobody_out(
    database: Database, clock: Clock, back: float
) -> None:
    fill(database, "ann", "192.0.2.1")
    clock.forward(-back)
    fill(database, "ann", "192.0.2.1")
    with pytest.raises(RateError) as caught:
        take(database, "model", user="ann", address="192.0.2.1")
    assert caught.value.seconds <= MODELS.seconds
