// Submissions, where a server answers that takes them. What strangers wrote is shown as text alone.
"use strict";
(() => {
  const { element, fill, notice, announce } = SHELF;
  const ID = /^[0-9a-f]{64}$/;
  const MEGABYTE = 2 ** 20;
  const STATES = {
    received: "held for a maintainer",
    unverified: "unverified",
    verified: "verified",
    computed: "computed here",
    refused: "refused",
    withdrawn: "withdrawn",
    queued: "waits for a worker",
    claimed: "is being evaluated",
    failed: "failed",
    done: "evaluated",
  };
  const ROLES = {
    check: "the check",
    submitter: "who sent it",
    maintainer: "a maintainer",
    worker: "a worker",
    clock: "a worker fell silent",
  };
  const ENDED = new Set(["refused", "withdrawn", "failed", "done"]);
  const CODES = "shelf-codes";

  /** Asks the server; an error has the server's sentence. */
  async function ask(path, body, headers) {
    let answer;
    try {
      answer = await fetch(
        `submissions/${path}`,
        body === undefined ? { headers } : { method: "POST", body, headers },
      );
    } catch {
      throw new Error("The server cannot be reached. Look whether you are online, and try again.");
    }
    const found = await answer.json().catch(() => null);
    if (!answer.ok || found === null)
      throw new Error(found?.error ?? `The server answers with status ${answer.status}.`);
    return found;
  }

  function askJson(path, value, headers = {}) {
    return ask(path, JSON.stringify(value), { "Content-Type": "application/json", ...headers });
  }

  function sentence(text) {
    const line = SHELF.capital(text.trim());
    return /[.!?]$/.test(line) ? line : `${line}.`;
  }

  /** A sentence of the server; what stands between backticks is a command. */
  function said(text) {
    return text.split("`").map((part, n) => (n % 2 ? element("code", null, part) : part));
  }

  function time(seconds) {
    return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
  }

  function short(id) {
    return id.slice(0, 12);
  }

  function linkTo(own) {
    return SHELF.address("submit.html", { kind: own.kind, submission: own.id });
  }

  function nameOf(own) {
    return own.model ?? `${own.kind === "run" ? "run" : "model"} ${short(own.id)}`;
  }

  // Codes of guests stay in this tab, so that withdrawing is one press as long as it is open.
  function codes() {
    try {
      return JSON.parse(sessionStorage.getItem(CODES)) ?? {};
    } catch {
      return {};
    }
  }

  function keep(id, code) {
    try {
      sessionStorage.setItem(CODES, JSON.stringify({ ...codes(), [id]: code }));
    } catch {
      // The code is on the page; whoever needs it later has to write it down anyway.
    }
  }

  /** A form: its parts, a button, and what is said below. `send` gives the nodes to show. */
  function form(label, wait, parts, send) {
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
        fill(outcome, notice("failed", element("p", null, said(sentence(error.message)))));
      } finally {
        button.disabled = false;
      }
    });
    return found;
  }

  function field(label, input, help) {
    return element(
      "label",
      { class: "field" },
      element("span", null, label),
      input,
      help && element("small", { class: "quiet" }, help),
    );
  }

  /** What is said of something that was taken. */
  function takenNotice(found, service) {
    if (found.pull_request) {
      return notice(
        "done",
        element(
          "p",
          null,
          found.known
            ? "These files are proposed already: "
            : "The scores follow from the items. The run is proposed as ",
          element("a", { href: safe(found.pull_request) }, "a pull request"),
          ".",
        ),
        element(
          "p",
          null,
          "A maintainer of the results repository decides on it there; close it to take the run back.",
        ),
      );
    }
    const own = found.submission;
    const words = {
      unverified:
        "The scores follow from the items. The run joins the table in a moment, as unverified.",
      received: `The scores follow from the items. A maintainer looks at the run first: ${own.flags.join("; ")}.`,
      queued: "The model waits for a worker. Where it stands is in the list below.",
    };
    if (found.code) keep(own.id, found.code);
    return notice(
      "done",
      element(
        "p",
        null,
        element("b", null, nameOf(own)),
        ": ",
        found.known
          ? `it was here before; it is ${STATES[own.state] ?? own.state}.`
          : (words[own.state] ?? `it is ${own.state}.`),
      ),
      found.code && codeNode(found.code),
      element("p", null, element("a", { href: linkTo(own) }, "What becomes of it")),
    );
  }

  function codeNode(code) {
    return element(
      "p",
      null,
      "Your code is ",
      element("code", { class: "code" }, code),
      ". Only with it can you withdraw what you sent. It is shown this once: write it down.",
    );
  }

  function safe(address) {
    return /^https?:\/\//.test(address) ? address : null;
  }

  function runForm(service, changed) {
    const file = element("input", {
      type: "file",
      id: "archive",
      accept: ".zip,application/zip",
      required: true,
    });
    const most = Math.floor(service.archive_bytes / MEGABYTE);
    return element(
      "section",
      { "aria-labelledby": "send-run" },
      element("h2", { id: "send-run" }, "Send a run"),
      element(
        "p",
        null,
        "The archive that ",
        element("code", null, "shelf pack"),
        ` made, up to ${most} MiB. `,
        service.releases.length ? `Taken are runs on ${SHELF.listed(service.releases)}.` : "",
      ),
      service.results && !service.user
        ? element(
            "p",
            null,
            "It is sent in your name, as a pull request to the repository ",
            element("code", null, service.results),
            ". Sign in first.",
          )
        : form(
            "Check and send it",
            "It is being sent and checked. That takes from seconds to minutes.",
            [field("Archive", file)],
            async () => {
              const [archive] = file.files;
              if (archive.size > service.archive_bytes)
                throw new Error(
                  `The archive has ${Math.ceil(archive.size / MEGABYTE)} MiB; at most ${most} are taken`,
                );
              const found = await ask("runs", archive, { "Content-Type": "application/zip" });
              file.value = "";
              changed(found.submission);
              return takenNotice(found, service);
            },
          ),
    );
  }

  function modelForm(service, changed) {
    const name = element("input", {
      type: "text",
      id: "model-name",
      required: true,
      maxlength: "300",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: "owner/name",
    });
    return element(
      "section",
      { "aria-labelledby": "ask-model" },
      element("h2", { id: "ask-model" }, "Ask for a model"),
      element(
        "p",
        null,
        "A public model of the Hub, with weights as safetensors, of an architecture that needs no code of its own. A worker evaluates it when its turn comes.",
      ),
      form(
        "Put it into the queue",
        "It is being put into the queue.",
        [field("Model", name, "owner/name, or owner/name@ and the forty digits of a commit")],
        async () => {
          const found = await askJson("models", { model: name.value });
          name.value = "";
          changed(found.submission);
          return takenNotice(found, service);
        },
      ),
    );
  }

  function signing(service) {
    if (!service.sign_in) return null;
    if (service.user) {
      return element(
        "p",
        null,
        "You are signed in as ",
        element("b", null, service.user),
        ". ",
        element(
          "a",
          { href: SHELF.address("logout", { _target_url: "/submit.html" }) },
          "Sign out",
        ),
      );
    }
    // A frame of another site gets no cookies in most browsers.
    const apart = window.top === window ? {} : { target: "_blank", rel: "noopener" };
    return element(
      "p",
      null,
      element(
        "a",
        { href: SHELF.address("login/huggingface", { _target_url: "/submit.html" }), ...apart },
        "Sign in with Hugging Face",
      ),
      service.store ? " to send in your name, or send without a name." : ".",
    );
  }

  // The list

  function row(own) {
    return element(
      "tr",
      { "data-id": own.id, "data-state": own.state },
      element("th", { scope: "row" }, element("a", { href: linkTo(own) }, nameOf(own))),
      element("td", { class: "words" }, STATES[own.state] ?? own.state),
      element("td", { class: "words" }, own.kind === "run" ? "run" : "model"),
      element(
        "td",
        null,
        element(
          "time",
          { datetime: new Date(own.received * 1000).toISOString() },
          time(own.received),
        ),
      ),
      element("td", { class: "words" }, own.by ?? "no name"),
      element("td", { class: "words reason" }, said(own.reason ?? own.flags.join("; "))),
    );
  }

  function list() {
    const place = element(
      "div",
      { id: "sent" },
      element("p", { class: "waiting" }, "The list is being read."),
    );
    async function refresh() {
      try {
        const { submissions, of } = await ask("list");
        if (!submissions.length) {
          fill(place, element("p", { class: "absent" }, "Nothing has been sent yet."));
          return;
        }
        const caption =
          submissions.length < of
            ? `The newest ${submissions.length} of ${of}`
            : SHELF.counted(of, "submission");
        const heads = ["Model", "State", "Kind", "Sent (UTC)", "By", "Note"].map((text, n) =>
          element("th", { scope: "col", class: n === 3 ? null : "words" }, text),
        );
        fill(
          place,
          SHELF.scrolled(
            caption,
            element("thead", null, element("tr", null, heads)),
            element("tbody", null, submissions.map(row)),
          ),
        );
      } catch (error) {
        fill(place, notice("failed", element("p", null, said(sentence(error.message)))));
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

  // One submission

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
    const heads = ["Task", "Metric", "Claimed", "From the items", "Interval"].map((text, n) =>
      element("th", { scope: "col", class: n < 2 ? "words" : null }, text),
    );
    const rows = own.scores.map((score) =>
      element(
        "tr",
        null,
        element("th", { scope: "row" }, element("code", null, SHELF.breakable(score.task))),
        element("td", { class: "words" }, score.metric),
        element("td", null, SHELF.number(score.claimed)),
        element("td", null, SHELF.number(score.recomputed)),
        element("td", null, SHELF.interval(score.low, score.high)),
      ),
    );
    return SHELF.scrolled(
      "Scores as they were sent, and as they follow from the items and the labels",
      element("thead", null, element("tr", null, heads)),
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
          `${time(event.at)} UTC: ${STATES[event.state] ?? event.state}, by ${ROLES[event.by] ?? event.by}. `,
          element("span", { class: "quiet" }, said(sentence(event.why))),
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
      value: codes()[own.id] ?? "",
    });
    return element(
      "section",
      { "aria-labelledby": "withdraw-title" },
      element("h2", { id: "withdraw-title" }, "Withdraw it"),
      form(
        "Withdraw it",
        "It is being withdrawn.",
        mine ? [] : [field("The code that was shown when you sent it", code)],
        async () => {
          await askJson("withdraw", mine ? { id: own.id } : { id: own.id, code: code.value });
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
      form(
        "Decide",
        "It is being decided.",
        [
          field("Token", token),
          field("Decision", action),
          field("Reason, to refuse", reason),
          field("Archive of the run made anew, to verify", again),
        ],
        async () => {
          const headers = { Authorization: `Bearer ${token.value}` };
          const path = `${own.id}/${action.value}`;
          if (action.value === "verify") {
            if (!again.files.length) throw new Error("Choose the archive of the run made anew");
            await ask(path, again.files[0], { "Content-Type": "application/zip", ...headers });
          } else
            await askJson(path, action.value === "refuse" ? { reason: reason.value } : {}, headers);
          await drawn();
          announce("It is decided.");
          return [];
        },
      ),
    );
  }

  async function one(place, kind, id, service) {
    const back = element("p", null, element("a", { href: "submit.html" }, "All submissions"));
    async function draw() {
      const own = await ask(`${kind}/${id}`);
      document.title = `${nameOf(own)}, SHELF`;
      fill(document.querySelector("main h1"), nameOf(own));
      fill(
        place,
        back,
        element(
          "section",
          { id: "one", "aria-label": nameOf(own), "data-state": own.state },
          facts([
            ["State", STATES[own.state] ?? own.state],
            ["Note", own.reason ? said(sentence(own.reason)) : null],
            [
              "To be looked at",
              own.flags.length ? own.flags.map((flag) => element("p", null, sentence(flag))) : null,
            ],
            ["Where", inTable(own)],
            ["Sent", `${time(own.received)} UTC, by ${own.by ?? "somebody without a name"}`],
            ["Documents", own.config ? `${own.config} of release ${own.release}` : null],
            ["Revision", own.revision],
            [
              "Run",
              own.run && ID.test(own.run)
                ? element("a", { href: linkTo({ kind: "run", id: own.run }) }, short(own.run))
                : null,
            ],
            ["Files (SHA-256)", own.id],
          ]),
          scores(own),
          element("h2", null, "What happened"),
          events(own),
        ),
        withdrawal(own, service, draw),
        maintaining(own, service, draw),
      );
      return own;
    }
    await draw();
    // How to submit is no part of what became of a submission.
    for (const part of document.querySelectorAll("main > section, main > .lead"))
      part.hidden = true;
  }

  async function page(place) {
    const service = await ask("service");
    const query = new URLSearchParams(location.search);
    const id = query.get("submission");
    if (id !== null) {
      const kind = query.get("kind") === "model" ? "model" : "run";
      if (!ID.test(id)) throw new Error("This link names no submission");
      return one(place, kind, id, service);
    }
    if (!service.runs && !service.models && !service.sign_in) return fill(place);
    const sent = service.store ? list() : null;
    const changed = (own) => own && sent?.refresh();
    const forms = [
      service.runs && runForm(service, changed),
      service.models && modelForm(service, changed),
    ];
    return fill(
      place,
      signing(service),
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
        notice("failed", element("p", null, said(sentence(error.message)))),
        element("p", null, element("a", { href: "submit.html" }, "All submissions")),
      );
    }
  });
})();
