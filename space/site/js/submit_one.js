// One submission: where it stands, its scores, and what happened.
"use strict";
(() => {
  const { element, fill } = SHELF;
  const ID = /^[0-9a-f]{64}$/;

  function facts(pairs) {
    const shown = pairs.filter(
      ([, value]) => value !== null && value !== undefined && value !== "",
    );
    return element(
      "dl",
      { class: "facts-list" },
      shown.map(([name, value]) => [element("dt", null, name), element("dd", null, value)]).flat(),
    );
  }

  function scores(own) {
    if (!own.scores?.length) return null;
    const heads = ["Task", "Metric", "Claimed", "From the items", "Interval"];
    const rows = own.scores.map((score) =>
      element(
        "tr",
        null,
        element("th", { scope: "row" }, element("code", null, SHELF.breakable(score.task))),
        element(
          "td",
          { class: "words" },
          score.label,
          score.help && [" ", SHELF.help(score.label, score.help)],
        ),
        element("td", null, SHELF.number(score.claimed)),
        element("td", null, SHELF.number(score.recomputed)),
        element("td", null, SHELF.interval(score.low, score.high)),
      ),
    );
    return SHELF.scrolled(
      "Scores as they were sent, and as they follow from the items and the labels",
      SHELF.headed(heads, (n) => n < 2),
      element("tbody", null, rows),
    );
  }

  function events(own) {
    return element(
      "ol",
      { class: "steps", id: "events" },
      own.events.map((event) =>
        element(
          "li",
          null,
          `${SHELF.timeText(event.at)} UTC: ${SHELF.stateText(event.state)}, by ${SHELF.roleText(event.by)}. `,
          element(
            "span",
            { class: "quiet" },
            SHELF.reasonNodes(event.why, event.by === "maintainer"),
          ),
        ),
      ),
    );
  }

  function inTable(own) {
    if (!own.board)
      return own.state === "unverified" || own.state === "verified" || own.state === "computed"
        ? "It joins the table in a moment."
        : null;
    const board = { board: own.board, facet: "all", unverified: "yes" };
    return [
      element("a", { href: SHELF.address("index.html", board) }, "on its board"),
      ", ",
      element(
        "a",
        { href: SHELF.address("model.html", { model: own.key }) },
        "on its model’s page",
      ),
    ];
  }

  /** Shows one submission in a place. */
  async function showSubmission(place, kind, id, service) {
    const back = element("p", null, element("a", { href: "submit.html" }, "All submissions"));
    async function draw() {
      const own = await SHELF.ask(`${kind}/${id}`);
      document.title = `${SHELF.submissionName(own)}, SHELF`;
      fill(document.querySelector("main h1"), SHELF.submissionName(own));
      fill(
        place,
        back,
        element(
          "section",
          { id: "one", "aria-label": SHELF.submissionName(own), "data-state": own.state },
          facts([
            ["State", SHELF.stateText(own.state)],
            [
              "Note",
              own.reason
                ? SHELF.reasonNodes(own.reason, own.events.at(-1)?.by === "maintainer")
                : null,
            ],
            [
              own.state === "received" ? "To be looked at" : "Was pointed out",
              own.flags.length
                ? own.flags.map((flag) => element("p", null, SHELF.sentence(flag)))
                : null,
            ],
            ["Where", inTable(own)],
            [
              "Sent",
              `${SHELF.timeText(own.received)} UTC, by ${own.by ?? "somebody without a name"}`,
            ],
            ["Documents", own.config ? `${own.config} of release ${own.release}` : null],
            ["Revision", own.revision],
            [
              "Run",
              own.run && ID.test(own.run)
                ? element(
                    "a",
                    { href: SHELF.submissionLink({ kind: "run", id: own.run }) },
                    SHELF.shortId(own.run),
                  )
                : null,
            ],
            [own.kind === "run" ? "Files (SHA-256)" : "Request", own.id],
          ]),
          scores(own),
          element("h2", null, "What happened"),
          events(own),
        ),
        SHELF.withdrawal(own, service, draw),
        SHELF.maintaining(own, service, draw),
      );
      return own;
    }
    await draw();
    // How to submit is no part of what became of a submission.
    for (const part of document.querySelectorAll("main > section, main > .lead"))
      part.hidden = true;
  }

  Object.assign(SHELF, { showSubmission });
})();
