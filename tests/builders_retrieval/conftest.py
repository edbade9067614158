from __future__ import annotations

import pyarrow as pa
import pytest

from builders.draws import Draws

CLASSES = ("A", "B", "C", "P")
FORMS = ("Maps", "Atlases", "Novels", "Sermons", "Diaries")
TOPICS = ("Ice", "Ships", "Birds", "Trade", "Law", "Bread")
AUDIENCES = ("Children", "Scholars")
CATEGORIES = ("Literature", "Cartographic materials", "Music", "Law materials")
REGISTERS = ("creative", "academic", "casual")

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "title", "text", "lcc_code", "lcgft_form")),
        ("topics", pa.list_(pa.string())),
        *((name, pa.string()) for name in ("lcgft_category", "audience", "register")),
    ]
)


def made_up(n: int, name: str) -> pa.Table:
    """Documents in the order of their ids; some lack a title, topics or an audience."""
    draws = Draws(7, name)
    rows = []
    for number in range(n):
        topics = draws.sample(TOPICS, draws.integer(4))
        rows.append(
            {
                "id": f"{name}{number:05d}",
                "title": draws.choice((None, "", f"Title {number}")),
                "text": f"{' '.join(topics)} number {number}.",
                "lcc_code": draws.choice(CLASSES),
                "lcgft_form": draws.choice(FORMS),
                "topics": topics or draws.choice(([], None)),
                "lcgft_category": draws.choice(CATEGORIES),
                "audience": draws.choice((None, *AUDIENCES)),
                "register": draws.choice(REGISTERS),
            }
        )
    return pa.Table.from_pylist(rows, schema=SCHEMA)


@pytest.fixture(scope="session")
def splits() -> dict[str, pa.Table]:
    """A corpus of documents by split; the ids of the splits interleave when sorted."""
    sizes = {"train": 90, "validation": 30, "test": 40}
    return {split: made_up(size, split[1:3]) for split, size in sizes.items()}


@pytest.fixture(scope="session")
def corpus(splits) -> pa.Table:
    """The searched documents: train, then validation."""
    return pa.concat_tables([splits["train"], splits["validation"]])
