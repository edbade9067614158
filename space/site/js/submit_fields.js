// Forms that send something, and say below themselves what became of it.
"use strict";
(() => {
  const { element, fill, notice } = SHELF;

  /** What is said where something failed. */
  function failure(error) {
    return notice("failed", element("p", null, SHELF.said(SHELF.sentence(error.message))));
  }

  /** A form: its parts, a button, and what is said below. `send` gives the nodes to show. */
  function sendingForm(label, wait, parts, send) {
    const outcome = element("div", { class: "outcome", "aria-live": "polite" });
    const button = element("button", { type: "submit" }, label);
    const found = element(
      "form",
      { class: "sending" },
      parts,
      element("div", null, button),
      outcome,
    );
    found.addEventListener("submit", async (event) => {
      event.preventDefault();
      button.disabled = true;
      fill(outcome, element("p", { class: "waiting" }, wait));
      try {
        fill(outcome, await send());
      } catch (error) {
        fill(outcome, failure(error));
      } finally {
        button.disabled = false;
      }
    });
    return found;
  }

  function labelled(label, input, help) {
    return element(
      "label",
      { class: "field" },
      element("span", null, label),
      input,
      help && element("small", { class: "quiet" }, help),
    );
  }

  Object.assign(SHELF, { failure, sendingForm, labelled });
})();
