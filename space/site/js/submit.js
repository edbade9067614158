// Submissions, where a server answers that takes them. What strangers wrote is shown as text alone.
"use strict";
(() => {
  const { element, fill } = SHELF;
  const ID = /^[0-9a-f]{64}$/;

  async function page(place) {
    const service = await SHELF.ask("service");
    const query = new URLSearchParams(location.search);
    const id = query.get("submission");
    if (id !== null) {
      const kind = query.get("kind") === "model" ? "model" : "run";
      if (!ID.test(id)) throw new Error("This link names no submission");
      return SHELF.showSubmission(place, kind, id, service);
    }
    if (!service.runs && !service.models && !service.sign_in) return fill(place);
    const sent = service.store ? SHELF.submissionList() : null;
    const changed = (own) => own && sent?.refresh();
    const forms = [
      service.runs && SHELF.runForm(service, changed),
      service.models && SHELF.modelForm(service, changed),
    ];
    const sending = document.getElementById("sending");
    if (service.runs && sending) fill(sending, "Send the archive with the form above.");
    return fill(
      place,
      SHELF.signing(service),
      element("div", { class: "columns" }, forms.filter(Boolean)),
      sent?.node,
    );
  }

  addEventListener("DOMContentLoaded", async () => {
    if (!SHELF.served) return;
    const place = document.getElementById("submission-forms");
    fill(place, element("p", { class: "waiting" }, "The server is being asked."));
    try {
      await page(place);
    } catch (error) {
      fill(
        place,
        SHELF.failure(error),
        element("p", null, element("a", { href: "submit.html" }, "All submissions")),
      );
    }
  });
})();
