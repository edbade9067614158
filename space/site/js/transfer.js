// The scatter plot of two measures that the reader chooses.
"use strict";
(() => {
  const { element, choice, counted, number } = SHELF;

  async function page() {
    const place = document.getElementById("scatter");
    const all = await SHELF.catalogue();
    SHELF.know(all);
    const { measures, cells } = await SHELF.load("transfer");
    if (measures.length < 2) {
      SHELF.fill(
        place,
        SHELF.notice(
          "nothing",
          element("p", null, "There are no two measures of the same models."),
        ),
      );
      return;
    }
    const name = (measure) => `${measure.source}|${measure.key}`;
    const byName = new Map(measures.map((measure) => [name(measure), measure]));
    const first = cells[0] ?? {
      source: measures[0].source,
      x: measures[0].key,
      y: measures[1].key,
    };
    const initial = (key, other) =>
      byName.has(`${first.source}|${key}`) ? `${first.source}|${key}` : name(other);
    const fields = {
      x: choice([...byName.keys()], initial(first.x, measures[0])),
      y: choice([...byName.keys()], initial(first.y, measures[1])),
    };
    const { state, ignored } = SHELF.read(fields);
    SHELF.sayIgnored(ignored, document.getElementById("notes"));
    const controls = element("div", { class: "row" });
    const shown = element("div", null);
    SHELF.fill(place, controls, shown);

    function options(wanted) {
      const groups = new Map();
      for (const measure of wanted) {
        const group = `${measure.source}: ${measure.config}`;
        groups.set(group, [
          ...(groups.get(group) ?? []),
          [
            name(measure),
            `${measure.config}: ${measure.task}, ${SHELF.metricName(measure.metric)}`,
          ],
        ]);
      }
      return [...groups].map(([group, choices]) => ({ group, choices }));
    }

    function alter(part) {
      Object.assign(state, part);
      const source = byName.get(state.x).source;
      // Scores of two origins are never set side by side.
      if (byName.get(state.y).source !== source) {
        state.y = name(
          measures.find((measure) => measure.source === source && name(measure) !== state.x) ??
            byName.get(state.x),
        );
      }
      SHELF.write(fields, state);
      show();
    }

    function show() {
      const [x, y] = [byName.get(state.x), byName.get(state.y)];
      SHELF.fill(
        controls,
        SHELF.selection("Across", options(measures), state.x, (value) => alter({ x: value }), {
          id: "x",
          class: "wide",
        }),
        SHELF.selection(
          "Up",
          options(measures.filter((measure) => measure.source === x.source)),
          state.y,
          (value) => alter({ y: value }),
          { id: "y", class: "wide" },
        ),
      );
      const others = new Map(y.scores);
      const both = x.scores.filter(([model]) => others.has(model));
      if (both.length < 2) {
        SHELF.fill(
          shown,
          SHELF.notice("nothing", element("p", null, "Fewer than two models have both scores.")),
        );
        return;
      }
      const points = both.map(([model, score]) => {
        const { name: own, key } = all.models[model];
        const up = others.get(model);
        return {
          x: score,
          y: up,
          name: own,
          text: `${own}: ${number(score)} across, ${number(up)} up`,
          href: SHELF.address("model.html", { model: key }),
          on: false,
          named: both.length <= 40,
        };
      });
      const cell = cells.find(
        (one) =>
          one.source === x.source &&
          ((one.x === x.key && one.y === y.key) || (one.x === y.key && one.y === x.key)),
      );
      SHELF.fill(
        shown,
        element(
          "p",
          { class: "agreement" },
          cell
            ? agreementText(cell)
            : "The agreement of these two is no part of the rule, and was not computed: " +
                `shelf transfer --x ${x.key} --y ${y.key} gives it with its interval.`,
        ),
        element(
          "p",
          { class: "note" },
          [x, y].flatMap((one, n) => [
            `${n ? ". Up" : "Across"}: ${SHELF.metricName(one.metric)}`,
            SHELF.metricButton(one.metric),
          ]),
          ".",
        ),
        SHELF.scatter({
          title: `${x.key} against ${y.key}, ${counted(both.length, "model")}`,
          points,
          labels: {
            x: `${x.config}: ${x.task}, ${SHELF.metricName(x.metric)}`,
            y: `${y.config}: ${y.task}, ${SHELF.metricName(y.metric)}`,
          },
          diagonal: x.metric === y.metric,
        }),
        tableOf(points, x, y),
      );
      SHELF.announce(`${counted(both.length, "model")} drawn.`);
    }

    show();
  }

  function agreementText(cell) {
    const spearman = `${number(cell.spearman)} ${SHELF.interval(cell.low, cell.high, 2)}`.trim();
    const bounds = SHELF.interval(cell.kendall_low, cell.kendall_high, 2);
    return (
      `Over the ${counted(cell.n, "model")} of the panel: Spearman ${spearman}, ` +
      `Kendall ${`${number(cell.kendall)} ${bounds}`.trim()}. The plot also shows models outside the panel.`
    );
  }

  function tableOf(points, x, y) {
    return element(
      "details",
      null,
      element("summary", null, "The same as a table"),
      SHELF.scrolled(
        `${x.key} and ${y.key}`,
        SHELF.headed(["model", x.key, y.key].map((text) => SHELF.breakable(text))),
        element(
          "tbody",
          null,
          SHELF.sorted(points, (point) => point.x, true).map((point) =>
            element(
              "tr",
              null,
              element("th", { scope: "row" }, point.name),
              element("td", null, number(point.x)),
              element("td", null, number(point.y)),
            ),
          ),
        ),
      ),
    );
  }

  SHELF.run(page, document.getElementById("scatter"));
})();
