// What was sent, as a list.
"use strict";
(() => {
  const { element, fill, announce } = SHELF;

  /** Why, or what was pointed out; only in what the check says are commands between backticks. */
  function note(own) {
    if (own.reason) return own.decided_by === "check" ? SHELF.said(own.reason) : own.reason;
    return SHELF.said(own.flags.join("; "));
  }

  function row(own) {
    return element(
      "tr",
      { "data-id": own.id, "data-state": own.state },
      element(
        "th",
        { scope: "row" },
        element("a", { href: SHELF.submissionLink(own) }, SHELF.submissionName(own)),
      ),
      element("td", { class: "words" }, SHELF.stateText(own.state)),
      element("td", { class: "words" }, own.kind === "run" ? "run" : "model"),
      element(
        "td",
        null,
        element(
          "time",
          { datetime: new Date(own.received * 1000).toISOString() },
          SHELF.timeText(own.received),
        ),
      ),
      element("td", { class: "words" }, own.by ?? "no name"),
      element("td", { class: "words reason" }, note(own)),
    );
  }

  /** The list and how to read it anew. */
  function submissionList() {
    const place = element(
      "div",
      { id: "sent" },
      element("p", { class: "waiting" }, "The list is being read."),
    );
    async function refresh() {
      try {
        const { submissions, of } = await SHELF.ask("list");
        if (!submissions.length) {
          fill(place, element("p", { class: "absent" }, "Nothing has been sent yet."));
          return;
        }
        const caption =
          submissions.length < of
            ? `The newest ${submissions.length} of ${of}`
            : SHELF.counted(of, "submission");
        const heads = ["Model", "State", "Kind", "Sent (UTC)", "By", "Note"];
        fill(
          place,
          SHELF.scrolled(
            caption,
            SHELF.headed(heads, (n) => n !== 3),
            element("tbody", null, submissions.map(row)),
          ),
        );
      } catch (error) {
        fill(place, SHELF.failure(error));
      }
    }
    const again = element(
      "button",
      {
        type: "button",
        class: "small",
        onclick: async () => {
          await refresh();
          announce("The list is new.");
        },
      },
      "Read it again",
    );
    refresh();
    const node = element(
      "section",
      { "aria-labelledby": "sent-title" },
      element("h2", { id: "sent-title" }, "What was sent"),
      place,
      element("p", null, again),
    );
    return { node, refresh };
  }

  Object.assign(SHELF, { submissionList });
})();
