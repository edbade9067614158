// Help where it stands: a button that opens a small text beside itself.
"use strict";
(() => {
  let box = null;

  function made() {
    const text = SHELF.element("p", null);
    const found = SHELF.element(
      "div",
      { id: "help", class: "help-text", popover: "auto", role: "note" },
      text,
    );
    document.body.append(found);
    return found;
  }

  function open(button, help) {
    box ??= made();
    box.firstChild.textContent = help;
    box.showPopover();
    const place = button.getBoundingClientRect();
    const width = box.offsetWidth;
    const left = Math.max(8, Math.min(place.left, innerWidth - width - 8));
    const below = place.bottom + 6;
    const top =
      below + box.offsetHeight > innerHeight
        ? Math.max(8, place.top - box.offsetHeight - 6)
        : below;
    box.style.left = `${left}px`;
    box.style.top = `${top}px`;
    SHELF.announce(help);
  }

  /** A button that explains something: `about` names it, `help` is the text. */
  function help(about, text) {
    const button = SHELF.element(
      "button",
      { type: "button", class: "help", "aria-label": `What is ${about}?`, title: text },
      "?",
    );
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      open(button, text);
    });
    return button;
  }

  // Buttons that were written when the site was built.
  addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("button.help[data-help]")) {
      button.title = button.dataset.help;
      button.addEventListener("click", () => open(button, button.dataset.help));
    }
  });

  Object.assign(SHELF, { help });
})();
