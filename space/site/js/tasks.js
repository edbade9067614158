// The report cards of one board at a time.
"use strict";
(() => {
  async function page() {
    const all = await SHELF.catalogue();
    const sections = [...document.querySelectorAll("section.cards")];
    if (sections.length < 2) return;
    // A board of unverified rows alone has no cards.
    const first = sections.find((section) => section.querySelector("table")) ?? sections[0];
    const fields = {
      board: SHELF.choice(
        all.boards.map((board) => board.key),
        first.dataset.board,
      ),
    };
    const { state, ignored } = SHELF.read(fields);
    SHELF.sayIgnored(ignored, document.getElementById("notes"));
    const show = () => {
      for (const section of sections) section.hidden = section.dataset.board !== state.board;
    };
    SHELF.fill(
      document.getElementById("card-choice"),
      SHELF.element(
        "div",
        { class: "row" },
        SHELF.boardChoice(all, state.board, (board) => {
          state.board = board;
          SHELF.write(fields, state);
          show();
        }),
      ),
    );
    show();
  }

  SHELF.run(page);
})();
