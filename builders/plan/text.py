"""A design and its cost for a terminal of any width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from builders.plan.costs import Cost, total_of
from builders.plan.design import CHARACTERS_A_TOKEN, TOKENS_A_WORD, Design, GeneratorDesign
from builders.taxonomies.foreign import ForeignLabels, in_words
from evaluate_shelf.counts import counted
from evaluate_shelf.printable import columns, one_line
from evaluate_shelf.registry.prices import Price
from evaluate_shelf.text_columns import aligned, wrapped

_UNKNOWN = "?"
_NONE = "–"

Row = tuple[str, ...]


def design_text(
    design: Design, costs: Mapping[str, Cost], width: int, foreign: Sequence[ForeignLabels] = ()
) -> str:
    """What a plan would write and cost, in tables and words.

    Parameters
    ----------
    design : Design
    costs : mapping of str to Cost
        Of each of its generators.
    width : int
        Columns of the terminal. A table that does not fit is given as a list.
    foreign : sequence of ForeignLabels, default=()
        Labels that are drawn from and are not SHELF's.

    Returns
    -------
    str
        Lines of text, each as wide as the terminal or less, but for longer words.
    """
    paragraphs = [
        _title(design, foreign),
        _table(_document_rows(design), width),
        _evenness(design),
        _table(_token_rows(design, costs), width),
        [*_total(costs), *_lacking(design, costs)],
        _prices(costs),
        _rules(design),
    ]
    lines = (line for lines in paragraphs if lines for line in ("", *lines))
    return "\n".join(list(_fitted(lines, width))[1:]) + "\n"


def _title(design: Design, foreign: Sequence[ForeignLabels]) -> list[str]:
    documents = counted(design.documents, "document")
    specifications = counted(
        sum(own.specifications for own in design.slices.values()), "specification"
    )
    return [
        f"Plan {design.plan.id}, seed {design.seed}, design {design.design_id}",
        one_line(design.plan.note),
        *([one_line(f"Imported labels: {in_words(foreign)}.")] if foreign else []),
        "",
        f"{documents} of {specifications} by {counted(len(design.generators), 'generator')}",
    ]


def _document_rows(design: Design) -> list[Row]:
    names = list(design.slices)
    rows: list[Row] = [("DOCUMENTS", *names, *(["all"] if len(names) > 1 else []))]
    blocks = [design.slices[name].blocks for name in names]
    specifications = [design.slices[name].specifications for name in names]
    rows.append(_counts("blocks", blocks))
    rows.append(_counts("specifications", specifications))
    for own in design.generators:
        documents = [design.slices[name].documents.get(own.generator.name, 0) for name in names]
        rows.append(_counts(_shown(own), documents))
    return rows


def _counts(name: str, counts: Sequence[int]) -> Row:
    in_all = [sum(counts)] if len(counts) > 1 else []
    return (name, *(f"{count:,}" for count in (*counts, *in_all)))


def _shown(own: GeneratorDesign) -> str:
    generator = own.generator
    if generator.model is None or generator.model == generator.name:
        return one_line(generator.name)
    return one_line(f"{generator.name} ({generator.model})")


def _evenness(design: Design) -> list[str]:
    cells = design.cells
    cells_in_all = f"{cells.classes * cells.categories:,} cells of"
    classes = counted(cells.classes, "class", "classes")
    categories = counted(cells.categories, "category", "categories")
    empty = f"{cells.empty:,} empty" if cells.empty else "none is empty"
    spread = f"{cells.least:,} to {cells.most:,}; {empty}"
    lines = [f"Specifications in the {cells_in_all} {classes} and {categories}: {spread}."]
    for name, plural in (("class", "a class"), ("category", "a category")):
        counts = design.specifications[name]
        lines.append(f"Of {plural}: {min(counts.values()):,} to {max(counts.values()):,}.")
    for name, title in (("length", "Target lengths"), ("prompt", "Prompt variants")):
        own = design.specifications.get(name, {})
        if own:
            lines.append(f"{title}: {', '.join(f'{key} {n:,}' for key, n in own.items())}.")
    return lines


def _token_rows(design: Design, costs: Mapping[str, Cost]) -> list[Row]:
    if all(own.expected is None for own in design.generators):
        return []
    rows: list[Row] = [
        (
            "EXPECTED AND WORST CASE",
            "input tokens",
            "output tokens",
            "USD",
            "worst input",
            "worst output",
            "worst USD",
        )
    ]
    for own in design.generators:
        cost = costs[own.generator.name]
        expected = ("", "") if own.expected is None else [f"{n:,}" for n in own.expected]
        worst = ("", "") if own.worst is None else [f"{n:,}" for n in own.worst]
        rows.append(
            (_shown(own), *expected, _usd(cost, cost.expected), *worst, _usd(cost, cost.worst))
        )
    if len(rows) > 2:
        rows.append(_sums(design, costs))
    return rows


def _sums(design: Design, costs: Mapping[str, Cost]) -> Row:
    total = total_of(costs)
    known = "" if total.unknown else "free" if total.worst == 0 else None
    sides = []
    for tokens, money in (
        ([own.expected for own in design.generators], total.expected),
        ([own.worst for own in design.generators], total.worst),
    ):
        given = [own for own in tokens if own is not None]
        sums = (sum(own.input for own in given), sum(own.output for own in given))
        sides += [*(f"{n:,}" for n in sums), _money(money) if known is None else known]
    return ("all", *sides)


def _usd(cost: Cost, value: int | None) -> str:
    if cost.status == "free":
        return "free"
    return _UNKNOWN if value is None else _money(value)


def _money(nanodollars: int) -> str:
    """US dollars in cents, or finer where cents say little; rounded up, never to too little.

    Examples
    --------
    >>> _money(1_234_500_000_000), _money(12_340_001), _money(0)
    ('1,234.50', '0.0124', '0.00')
    """
    in_cents = nanodollars >= 1_000_000_000 or nanodollars == 0
    step, digits = (10_000_000, 2) if in_cents else (100_000, 4)
    return f"{-(-nanodollars // step) * step / 1e9:,.{digits}f}"


def _total(costs: Mapping[str, Cost]) -> list[str]:
    if all(cost.status == "free" for cost in costs.values()):
        return ["Cost: nothing is paid."]
    total = total_of(costs)
    if len(total.unknown) == len(costs):
        return ["Cost: unknown."]
    least = "at least " if total.unknown else ""
    expected, worst = (f"{least}{_money(value)} USD" for value in (total.expected, total.worst))
    return [f"Cost: {expected} expected, {worst} in the worst case."]


_LACKING = {
    "no price": "has no price, so it will not be asked: add a row to prices.yaml, or name a table "
    "of your own with --prices",
    "no output price": "has no price for output tokens, so it will not be asked: add "
    "usd_per_million_output_tokens to its row",
}


def _lacking(design: Design, costs: Mapping[str, Cost]) -> list[str]:
    lines = [
        one_line(f"{own.generator.model} {_LACKING[costs[own.generator.name].status]}.")
        for own in design.generators
        if costs[own.generator.name].status in _LACKING
    ]
    places = len(design.plan.places)
    if places:
        lines.append(
            f"{counted(places, 'generator is', 'generators are')} not filled in: name your own in "
            "a file of rows with name, writer, model and base_url, and give it with --writers."
        )
    if design.naming:
        lines.append(
            f"{counted(design.naming, 'specification has', 'specifications have')} a prompt that "
            "names one of its own labels, since the taxonomy has no other words for it."
        )
    return lines


def _prices(costs: Mapping[str, Cost]) -> list[str]:
    rows = {cost.price.model: cost.price for cost in costs.values() if cost.price is not None}
    return [
        one_line(
            f"Price of {price.model}: {price.usd_per_million_input_tokens:g} USD a million input "
            f"tokens, {_optional(price.usd_per_million_output_tokens)} output{_discount(price)}; "
            f"{price.date}, {price.source}"
        )
        for price in rows.values()
    ]


def _discount(price: Price) -> str:
    return f", {100 * price.batch_discount:g} % less in a batch" if price.batch_discount else ""


def _optional(value: float | None) -> str:
    return _NONE if value is None else f"{value:g}"


def _rules(design: Design) -> list[str]:
    return ["Composed by rules: no model is asked."] if design.plan.prompts is None else _RULES


_EXPECTED = (
    f"Expected: a token for {CHARACTERS_A_TOKEN} characters of a prompt, {TOKENS_A_WORD} for a "
    "word of a document of middling length; a model that reasons takes more."
)
_WORST = (
    "Worst case: a token for each byte of a prompt and 16 for a message; for a document, two for "
    "each of the most words and 64, with 4,096 more for a model that reasons, and at least 1,024 "
    "unless a model's row says that it does not. So much is set aside before each call, and the "
    "endpoint is asked to keep to it."
)
_ON_TOP = (
    "Calls that are cut off and may have been charged come on top, each at its worst case; no cap "
    "is passed by them."
)
_RULES = [_EXPECTED, _WORST, _ON_TOP]


def _table(rows: Sequence[Row], width: int) -> list[str]:
    """Columns under each other where they fit, else a list."""
    if not rows:
        return []
    lines = aligned(rows, left={0})
    if max(map(columns, lines)) <= width:
        return lines
    heading, *body = rows
    return [
        heading[0],
        *(
            line
            for name, *cells in body
            for line in (
                f"  {name}",
                *(
                    f"    {title}: {cell}"
                    for title, cell in zip(heading[1:], cells, strict=True)
                    if cell
                ),
            )
        ),
    ]


def _fitted(lines: Iterable[str], width: int) -> Iterator[str]:
    for line in lines:
        yield from wrapped(line, width, "      " if line.startswith(" ") else "  ")
