// How submissions are spoken of.
"use strict";
(() => {
  const { element } = SHELF;

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
    damaged: "damaged here: send it again",
  };
  const SENTENCES = {
    received: "it is held for a maintainer",
    unverified: "it is unverified",
    verified: "it is verified",
    computed: "it was computed here",
    refused: "it was refused",
    withdrawn: "it was withdrawn",
    queued: "it waits for a worker",
    claimed: "it is being evaluated",
    failed: "it failed",
    done: "it was evaluated",
    damaged: "its files were damaged here",
  };
  const ROLES = {
    check: "the check",
    submitter: "who sent it",
    maintainer: "a maintainer",
    worker: "a worker",
    clock: "a worker fell silent",
  };

  function stateText(state) {
    return STATES[state] ?? state;
  }

  /** What a submission is, as part of a sentence. */
  function stateSentence(state) {
    return SENTENCES[state] ?? `its state is ${state}`;
  }

  function roleText(role) {
    return ROLES[role] ?? role;
  }

  /** A sentence. What begins it may be the name of a file or a model, which stays as it is. */
  function sentence(text) {
    const line = text.trim();
    const begun = /^[a-z]+(?=[ ,;!?]|[.](?: |$)|$)/.test(line) ? SHELF.capital(line) : line;
    return /[.!?]$/.test(begun) ? begun : `${begun}.`;
  }

  /** A sentence of the server; what stands between backticks is a command. */
  function said(text) {
    return text.split("`").map((part, n) => (n % 2 ? element("code", null, part) : part));
  }

  /** A reason: the words of a maintainer are shown as they were written. */
  function reasonNodes(text, byMaintainer) {
    return byMaintainer ? text : said(sentence(text));
  }

  function timeText(seconds) {
    return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
  }

  function shortId(id) {
    return id.slice(0, 12);
  }

  function submissionLink(own) {
    return SHELF.address("submit.html", { kind: own.kind, submission: own.id });
  }

  function submissionName(own) {
    return own.model ?? `${own.kind === "run" ? "run" : "model"} ${shortId(own.id)}`;
  }

  Object.assign(SHELF, {
    stateText,
    stateSentence,
    roleText,
    sentence,
    said,
    reasonNodes,
    timeText,
    shortId,
    submissionLink,
    submissionName,
  });
})();
