// Data lie in scripts beside the pages, since a page that is opened from a disk may not fetch.
"use strict";
(() => {
  const asked = new Map();

  /** Promise of a part of the data, by its name; loaded once. */
  function load(name) {
    if (!asked.has(name)) asked.set(name, loaded(name));
    return asked.get(name);
  }

  function loaded(name) {
    return new Promise((resolve, reject) => {
      const there = () => globalThis.SHELF_DATA?.[name];
      if (there()) return resolve(there());
      const script = document.createElement("script");
      const fail = () => {
        asked.delete(name);
        reject(new Error(`data/${name}.js could not be read`));
      };
      script.addEventListener("load", () => (there() ? resolve(there()) : fail()));
      script.addEventListener("error", fail);
      script.src = `data/${name}.js`;
      document.head.append(script);
    });
  }

  /** What every page knows: boards, tasks, metrics, models. */
  async function catalogue() {
    const found = await load("catalogue");
    if (!found.byKey) {
      found.byKey = new Map(found.models.map((model, n) => [model.key, n]));
      found.metricById = new Map(found.metrics.map((metric) => [metric.id, metric]));
      found.boardByKey = new Map(found.boards.map((board, n) => [board.key, n]));
    }
    return found;
  }

  /** A board: its tasks, views and rows, each row with what is known of its model. */
  async function board(number) {
    const all = await catalogue();
    const found = await load(`board-${number}`);
    if (!found.tasks) {
      found.number = number;
      found.facts = all.boards[number];
      found.tasks = found.columns.map((column) => taskOf(all.tasks[column.task], column));
      found.models = found.rows.model.map((model) => all.models[model]);
      found.size = found.models.length;
    }
    return found;
  }

  /** A task on a board: what the registry says of it, and what was measured there, in words. */
  function taskOf(task, column) {
    return { ...task, chanceText: column.chance_text, unit: column.unit };
  }

  let running = 0;

  /** Whether the page waits for something that it will show. */
  function sayBusy(change) {
    running += change;
    document.querySelector("main").setAttribute("aria-busy", String(running > 0));
  }

  /** Runs a page or a change of it; what fails is said where it would have been. */
  async function run(page, place = document.querySelector("main")) {
    sayBusy(1);
    try {
      await page();
    } catch (error) {
      console.warn(error);
      place.append(
        SHELF.notice(
          "failed",
          SHELF.element("p", null, `This part of the page could not be shown: ${error.message}.`),
          SHELF.element(
            "button",
            { type: "button", onclick: () => location.reload() },
            "Try again",
          ),
        ),
      );
    } finally {
      sayBusy(-1);
      document.documentElement.classList.add("ready");
      for (const waiting of document.querySelectorAll(".waiting")) waiting.remove();
    }
  }

  Object.assign(SHELF, { load, catalogue, board, run });
})();
