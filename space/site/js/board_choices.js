// What is chosen above the table: facet, formulation, board, search and filters.
"use strict";
(() => {
  const { element, capital } = SHELF;

  const sortedAnew = { sort: "", order: "" };

  function facetTabs(board, state, alter) {
    return element(
      "fieldset",
      { class: "tabs" },
      element("legend", null, "Facet"),
      ["all", ...SHELF.occurring(board, "facet")].map((facet) =>
        element(
          "label",
          null,
          element("input", {
            type: "radio",
            name: "facet",
            value: facet,
            checked: facet === state.facet,
            onchange: () => alter({ facet, ...sortedAnew }),
          }),
          element("span", null, capital(facet)),
        ),
      ),
    );
  }

  /** Facets, formulations, boards and the search. */
  function boardChoices(all, board, state, alter, toBoard) {
    return [
      facetTabs(board, state, alter),
      element(
        "div",
        { class: "row" },
        SHELF.formulationChoice(board, state.formulation, (formulation) =>
          alter({ formulation, ...sortedAnew }),
        ),
        all.boards.length > 1 &&
          SHELF.boardChoice(all, state.board, (key) => toBoard({ board: key, ...sortedAnew })),
        SHELF.typed(
          "Search models",
          { id: "q", type: "search", value: state.q, maxlength: 200, autocomplete: "off" },
          (q) => alter({ q }),
        ),
      ),
    ];
  }

  /** The filters, closed at first unless one is set. `beside` is the board of reported rows. */
  function boardFilters(all, board, beside, state, alter) {
    const models = [...board.models, ...(state.reported && beside ? beside.models : [])];
    return [
      element("summary", null, "Filters"),
      SHELF.filterControls(models, () => state, alter, {
        hasReported: all.boards[board.number].reported_beside !== null,
        hasUnverified: board.rows.status.includes("unverified"),
      }),
    ];
  }

  Object.assign(SHELF, { boardChoices, boardFilters });
})();
