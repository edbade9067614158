// What is asked of the server that takes submissions, and the codes of guests.
"use strict";
(() => {
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

  function askZip(path, archive, headers = {}) {
    return ask(path, archive, { "Content-Type": "application/zip", ...headers });
  }

  // Codes stay in this tab, so that withdrawing is one press as long as it is open.
  function codes() {
    try {
      return JSON.parse(sessionStorage.getItem(CODES)) ?? {};
    } catch {
      return {};
    }
  }

  /** The code of what this tab has sent; null of anything else. */
  function codeOf(id) {
    return codes()[id] ?? null;
  }

  function keepCode(id, code) {
    try {
      sessionStorage.setItem(CODES, JSON.stringify({ ...codes(), [id]: code }));
    } catch {
      // The code is on the page; whoever needs it later has to write it down anyway.
    }
  }

  Object.assign(SHELF, { ask, askJson, askZip, codeOf, keepCode });
})();
