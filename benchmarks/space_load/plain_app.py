"""The peer: a Gradio app with a choice of facet and a `gr.Dataframe`, as one writes it first.

python -m benchmarks.space_load.plain_app AGGREGATE PORT
"""

from __future__ import annotations

import sys
from pathlib import Path

import gradio as gr
import pandas as pd

from benchmarks.space_load.facets import Facet, facets_of
from evaluate_shelf.aggregate.file import read_aggregate


def frame_of(facet: Facet) -> pd.DataFrame:
    """Models, means and scores of a facet; neither intervals nor ranks."""
    scores = dict(zip(facet.tasks, facet.scores, strict=True))
    return pd.DataFrame({"model": facet.models, "mean": facet.means, **scores})


def main() -> None:
    """Serve until the process ends."""
    aggregate, port = Path(sys.argv[1]), int(sys.argv[2])
    # All tables are made before anybody asks for one.
    frames = {facet.name: frame_of(facet) for facet in facets_of(read_aggregate(aggregate))}
    first = next(iter(frames))
    with gr.Blocks() as app:
        facet = gr.Dropdown(list(frames), value=first, label="facet")
        shown = gr.Dataframe(frames[first], interactive=False)
        facet.change(frames.get, facet, shown)
    app.launch(server_name="127.0.0.1", server_port=port, ssr_mode=False)


if __name__ == "__main__":
    main()
