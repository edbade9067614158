// What can be done with a submission: who sent it withdraws it, maintainers decide.
"use strict";
(() => {
  const { element, announce } = SHELF;
  const ENDED = new Set(["refused", "withdrawn", "failed", "done"]);

  function withdrawal(own, service, drawn) {
    const mine = service.user && own.by === service.user;
    if (ENDED.has(own.state) || (service.user && own.by && !mine)) return null;
    const code = element("input", {
      type: "text",
      id: "code",
      required: true,
      maxlength: "100",
      autocomplete: "off",
      spellcheck: "false",
      value: SHELF.codeOf(own.id) ?? "",
    });
    return element(
      "section",
      { "aria-labelledby": "withdraw-title" },
      element("h2", { id: "withdraw-title" }, "Withdraw it"),
      SHELF.sendingForm(
        "Withdraw it",
        "It is being withdrawn.",
        mine ? [] : [SHELF.labelled("The code that was shown when you sent it", code)],
        async () => {
          await SHELF.askJson("withdraw", mine ? { id: own.id } : { id: own.id, code: code.value });
          await drawn();
          announce("It is withdrawn.");
          return [];
        },
      ),
    );
  }

  function maintaining(own, service, drawn) {
    if (!service.maintainers || ENDED.has(own.state)) return null;
    const token = element("input", {
      type: "password",
      required: true,
      autocomplete: "off",
      id: "token",
    });
    const action = element(
      "select",
      { id: "decision" },
      [
        ["accept", "accept: let it into the table, unverified"],
        ["refuse", "refuse, with a reason"],
        ["verify", "verify, with a run made anew"],
      ].map(([value, text]) => element("option", { value }, text)),
    );
    const reason = element("input", { type: "text", maxlength: "2000", id: "reason" });
    const again = element("input", { type: "file", accept: ".zip,application/zip", id: "again" });
    return element(
      "details",
      { class: "maintaining" },
      element("summary", null, "For maintainers"),
      SHELF.sendingForm(
        "Decide",
        "It is being decided.",
        [
          SHELF.labelled("Token", token),
          SHELF.labelled("Decision", action),
          SHELF.labelled("Reason, to refuse", reason),
          SHELF.labelled("Archive of the run made anew, to verify", again),
        ],
        async () => {
          const headers = { Authorization: `Bearer ${token.value}` };
          const path = `${own.id}/${action.value}`;
          if (action.value === "verify") {
            if (!again.files.length) throw new Error("Choose the archive of the run made anew");
            await SHELF.askZip(path, again.files[0], headers);
          } else if (action.value === "refuse") {
            if (!reason.value.trim())
              throw new Error("A reason is missing: say in a sentence why, for whoever sent it");
            await SHELF.askJson(path, { reason: reason.value }, headers);
          } else await SHELF.askJson(path, {}, headers);
          await drawn();
          announce("It is decided.");
          return [];
        },
      ),
    );
  }

  Object.assign(SHELF, { withdrawal, maintaining });
})();
