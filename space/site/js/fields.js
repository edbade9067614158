// Boxes to type in and to tick. A box that holds what cannot be used says beside itself what can.
"use strict";
(() => {
  const { element } = SHELF;

  /** Says what a box accepts while it holds something else; `changed` gets what can be used. */
  function checked(box, accepts, said, changed) {
    const hint = element("span", { class: "hint", id: `${box.id}-hint`, hidden: true });
    box.setAttribute("aria-describedby", hint.id);
    box.addEventListener("input", () => {
      const isRight = !box.validity.badInput && accepts(box.value);
      if (isRight) {
        box.removeAttribute("aria-invalid");
        changed(box.value);
      } else {
        box.setAttribute("aria-invalid", "true");
        hint.textContent = said();
        SHELF.announce(hint.textContent);
      }
      hint.hidden = isRight;
    });
    return hint;
  }

  /**
   * A box to type in, with its label. `accepts` says of a text whether it can be used, `said` what
   * can be; without them all that is typed is taken.
   */
  function typed(label, attributes, changed, { accepts = () => true, said = () => "" } = {}) {
    const box = element("input", attributes);
    const hint = checked(box, accepts, said, changed);
    return element(
      "div",
      { class: "field" },
      element("label", { for: attributes.id }, label),
      box,
      hint,
    );
  }

  /** A box to tick, with its label. */
  function ticked(label, value, changed, attributes) {
    const box = element("input", {
      type: "checkbox",
      checked: value,
      ...attributes,
      onchange: () => changed(box.checked),
    });
    return element("label", { class: "tick" }, box, label);
  }

  Object.assign(SHELF, { typed, ticked });
})();
