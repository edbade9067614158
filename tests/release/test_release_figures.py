"""Figures say what the rows say, in a table and, with matplotlib, in a picture."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from release_forgery import Release
from staged_releases import books, lcshbench, pairs, records, row_of, staged, written

from builders.corpora.columns import slice_schema
from builders.release import figures as figures_module
from builders.release.figures import drawing, figures, figures_of
from builders.release.figures.label_signal import label_signal_figure
from builders.release.folder import write_release
from evaluate_shelf.release.manifest import SPLITS

SIGNAL = {
    "v0_4_core": {"lcc_name": (0.232, 0.187), "topics": (0.445, 0.4)},
    "transfer_gutenberg": {"lcc_name": (0.089, 0.061)},
}
ROOT = Path(__file__).parents[2]


def rows_of(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


def image_of(content):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    picture = image.open(io.BytesIO(content))
    picture.load()
    return picture


def configs_of_every_origin(folder):
    source = written(folder, models=["lexical-writer/birch", "lexical-writer/cedar"])
    return [source, books(folder), lcshbench(folder), records(folder), pairs(folder, source)]


def rows_in(config):
    return [
        {**row, "split": file.split}
        for file in config.files
        for row in pq.read_table(file.path).to_pylist()
    ]


@pytest.fixture(scope="module")
def configs(tmp_path_factory):
    return configs_of_every_origin(tmp_path_factory.mktemp("staged"))


@pytest.fixture(scope="module")
def files(configs):
    return figures(configs, SIGNAL)


def test_each_figure_is_a_table_and_a_picture(files):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    names = ("length", "classes", "categories", "forms", "generators", "label_signal")
    assert set(files) == {f"figures/{name}.{kind}" for name in names for kind in ("csv", "png")}


def test_pictures_can_be_read_and_are_not_empty(files):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    pictures = {path: image_of(data) for path, data in files.items() if path.endswith(".png")}
    for path, picture in pictures.items():
        assert picture.size == (1200, 800), path
        colours = picture.convert("RGB").getcolors(1200 * 800)
        inked = sum(count for count, colour in colours if colour != (255, 255, 255))
        assert inked / (1200 * 800) > 0.01, path
        assert not picture.info.keys() & {"Software", "Creation Time", "date"}, path


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("classes", "lcc_code"), ("categories", "lcgft_category"), ("forms", "lcgft_form"),
        ("generators", "model"),
    ],
)  # fmt: skip
def test_labels_are_counted_as_the_rows_have_them(configs, files, name, column):
    found = rows_of(files[f"figures/{name}.csv"])
    expected = {}
    for config in configs:
        if config.info.kind == "documents":
            counts = Counter(
                (row[column], row["split"])
                for row in rows_in(config)
                if row.get(column) is not None
            )
            for label, split in counts:
                own = expected.setdefault((config.name, label), dict.fromkeys(SPLITS, 0))
                own[split] = counts[label, split]
    label = next(key for key in found[0] if key not in ("config", "share", *SPLITS))
    assert {
        (row["config"], row[label]): {split: int(row[split]) for split in SPLITS} for row in found
    } == expected
    assert len(found) == len(expected)


def test_shares_of_generators_are_those_of_the_rows(files):
    for config in ("v0_4_core",):
        own = [row for row in rows_of(files["figures/generators.csv"]) if row["config"] == config]
        everyone = sum(int(row[split]) for row in own for split in SPLITS)
        for row in own:
            share = sum(int(row[split]) for split in SPLITS) / everyone
            assert float(row["share"]) == pytest.approx(share, abs=1e-6)
        assert sum(float(row["share"]) for row in own) == pytest.approx(1)


def test_the_histogram_of_lengths_is_numpys(configs, files):
    found = rows_of(files["figures/length.csv"])
    for config in configs:
        own = [row for row in found if row["config"] == config.name]
        if config.info.kind != "documents":
            assert not own
            continue
        edges = [int(row["words_from"]) for row in own]
        assert [row["words_below"] for row in own] == [*map(str, edges[1:]), ""]
        words = [row["word_count"] for row in rows_in(config)]
        expected, _ = np.histogram(words, bins=[*edges, 10**9])
        assert [int(row["documents"]) for row in own] == expected.tolist()


def test_bins_of_length_grow_in_proportion(files):
    edges = sorted({int(row["words_from"]) for row in rows_of(files["figures/length.csv"])})[1:]
    steps = np.diff(np.log(edges))
    assert np.ptp(steps) < 0.25
    assert edges[-1] > 6000


def test_the_table_of_the_card_has_the_quantiles_of_the_rows(configs):
    (length,) = [own for own in figures_of(configs, {}) if own.name == "length"]
    by_config = {str(row[0]): row[1:] for row in length.shown_rows}
    for config in configs[:4]:
        words = sorted(row["word_count"] for row in rows_in(config))
        documents, low, p10, median, mean, p90, high = by_config[config.name]
        assert (documents, low, high) == (len(words), words[0], words[-1])
        assert mean == pytest.approx(np.mean(words), abs=0.051)
        for share, value in ((0.1, p10), (0.5, median), (0.9, p90)):
            assert sum(own <= value for own in words) >= share * len(words)
            assert sum(own < value for own in words) < share * len(words)


def test_label_signal_is_shown_as_it_is_given(files):
    found = {
        (row["config"], row["facet"]): (
            float(row["share_in_full_text"]),
            float(row["share_in_first_200_words"]),
        )
        for row in rows_of(files["figures/label_signal.csv"])
    }
    assert found == {
        (config, facet): shares for config, own in SIGNAL.items() for facet, shares in own.items()
    }


@pytest.mark.parametrize("signal", [{}, {"all": {}}])
def test_without_label_signal_there_is_no_such_figure(signal):
    assert label_signal_figure(signal) is None


@pytest.mark.parametrize("share", [-0.1, 1.1, 45, float("nan")])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(ValueError, match="share"):
        label_signal_figure({"all": {"topics": (0.5, share)}})


def test_what_the_build_did_not_count_is_counted(tmp_path):
    counted, uncounted = written(tmp_path / "a"), written(tmp_path / "b", counted=())
    assert not any(uncounted.counts["train"].values())
    assert {p: d for p, d in figures([counted], {}).items() if p.endswith("csv")} == {
        p: d for p, d in figures([uncounted], {}).items() if p.endswith("csv")
    }


@pytest.mark.parametrize("generators", [1, 30, 70])
def test_any_number_of_generators_has_a_table_and_a_picture(tmp_path, generators):
    names = [f"laboratory/a-model-with-a-rather-long-name-{n:02}" for n in range(generators)]
    config = written(tmp_path, models=names, rows=2 * generators + 8)
    files = figures([config], {})
    assert {row["generator"] for row in rows_of(files["figures/generators.csv"])} == set(names)
    if drawing.has_matplotlib():
        assert image_of(files["figures/generators.png"]).size == (1200, 800)
    (figure,) = [own for own in figures_of([config], {}) if own.name == "generators"]
    assert bool(figure.note) == (generators > 30)


def test_a_release_without_written_documents_names_no_generators(tmp_path):
    assert {own.name for own in figures_of([books(tmp_path)], {})} == {"length", "classes"}


def test_more_configs_than_panels_are_all_in_the_tables(tmp_path):
    many = [written(tmp_path, f"slice{number:02}", rows=10) for number in range(14)]
    drawn = {own.name: own for own in figures_of(many, {})}
    for name in ("length", "classes", "categories", "forms", "generators"):
        assert {row["config"] for row in rows_of(drawn[name].csv)} == {own.name for own in many}
        assert drawn[name].note
        assert drawn[name].shown_rows is None or len(drawn[name].shown_rows) == len(many)


HOSTILE = ["$\\frac{1}{2$", "a\nb", "x" * 3000, "=1+1", "書架", "<b>|</b>", "_$^", "\u202eab"]


def test_labels_of_any_kind_can_be_drawn_and_stand_in_the_tables(tmp_path):
    rows = [
        row_of(
            number,
            model=HOSTILE[number % 8],
            lcgft_category=HOSTILE[number % 8],
            lcgft_form=HOSTILE[number % 8],
            lcc_code=HOSTILE[number % 8],
        )
        for number in range(24)
    ]
    config = staged(tmp_path, "own", slice_schema("v0_4_core"), rows)
    signal = {HOSTILE[0]: dict.fromkeys(HOSTILE, (0.5, 0.25))}
    files = figures([config], signal)
    for name, column in (("classes", "class"), ("generators", "generator")):
        assert {row[column] for row in rows_of(files[f"figures/{name}.csv"])} == set(HOSTILE)
    if drawing.has_matplotlib():
        for path, data in files.items():
            assert not path.endswith(".png") or image_of(data).size == (1200, 800)


def test_more_labels_than_bars_are_all_in_the_table(tmp_path):
    rows = [row_of(number, lcc_code=f"class {number % 45}") for number in range(90)]
    (figure,) = [
        own
        for own in figures_of([staged(tmp_path, "own", slice_schema("v0_4_core"), rows)], {})
        if own.name == "classes"
    ]
    assert len(rows_of(figure.csv)) == 45
    assert figure.shown_rows is None


def test_drawing_changes_nothing_of_the_users_style(configs):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    with matplotlib.rc_context({"font.size": 33.0, "axes.facecolor": "red"}):
        before = dict(matplotlib.rcParams)
        figures(configs[:1], {})
        assert dict(matplotlib.rcParams) == before


_AGAIN = """
import sys
from pathlib import Path
from staged_releases import written
from builders.release.figures import figures
signal = {"v0_4_core": {"topics": (0.4, 0.3)}}
for path, data in figures([written(Path(sys.argv[1]))], signal).items():
    target = Path(sys.argv[2], path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
"""


@pytest.mark.slow
def test_the_same_rows_give_the_same_bytes_whatever_the_users_style_locale_and_clock(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    style = tmp_path / "matplotlibrc"
    style.write_text("font.size: 30\naxes.facecolor: red\nsavefig.dpi: 20\nbackend: svg\n")
    environments = [
        {"TZ": "UTC", "PYTHONHASHSEED": "1"},
        {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "2", "MATPLOTLIBRC": str(style), "LC_ALL": "C",
         "SOURCE_DATE_EPOCH": "1"},
    ]  # fmt: skip
    for number, environment in enumerate(environments):
        subprocess.run(
            [
                sys.executable,
                "-c",
                _AGAIN,
                str(tmp_path / f"s{number}"),
                str(tmp_path / f"{number}"),
            ],
            env={**os.environ, **environment, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests/support'}"},
            check=True,
        )
    first, second = tmp_path / "0", tmp_path / "1"
    names = sorted(path.relative_to(first) for path in first.rglob("*.*"))
    assert len(names) == 12
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_without_matplotlib_there_are_tables_and_a_word_to_the_user(tmp_path, monkeypatch, capsys):
    for module in (drawing, figures_module):
        monkeypatch.setattr(module, "has_matplotlib", lambda: False)
    folder = tmp_path / "release"
    manifest = write_release("plain", [written(tmp_path / "staged")], folder)
    assert drawing.PICTURES_MISSING in capsys.readouterr().err.splitlines()
    found = {path for path in manifest.other_files if path.startswith("figures/")}
    assert found == {
        f"figures/{name}.csv" for name in ("length", "classes", "categories", "forms", "generators")
    }
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert ".png" not in card
    assert all(path in card for path in found)


def test_the_card_shows_every_figure_of_the_release_and_no_other(small_release):
    card = (small_release / "README.md").read_text(encoding="utf-8")
    files = {path for path in Release(small_release).manifest["other_files"] if "figures/" in path}
    assert files
    assert all(f"({path})" in card for path in files)
    assert card.count("](figures/") == len(files)
