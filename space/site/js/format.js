// How values are written.
"use strict";
(() => {
  const SPOKEN = new Map([
    ["multilabel_classification", "multi-label classification"],
    ["instruction_retrieval", "retrieval by instruction"],
    ["pair_classification", "pairs"],
    ["conditional_clustering", "clustering within classes"],
  ]);
  const SEEN = new Map([
    ["out of sample by date", "the documents were written after the model was trained"],
    ["may have seen", "the model may have seen the documents"],
    ["unknown", "unknown whether the model has seen the documents"],
    ["in pretraining data", "texts such as the documents are in pretraining data"],
    ["no pretraining", "the model has no pretraining, so it has seen none of the documents"],
  ]);

  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

  /** Decimals, with a true minus sign; a dash for nothing. What rounds to zero has no sign. */
  function number(value, digits = 3) {
    if (!isNumber(value)) return "–";
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  }

  function interval(low, high, digits = 3) {
    return isNumber(low) && isNumber(high)
      ? `[${number(low, digits)}, ${number(high, digits)}]`
      : "";
  }

  /** A difference, with its sign. */
  function signed(value, digits = 3) {
    const text = number(value, digits);
    return isNumber(value) && Number(value.toFixed(digits)) > 0 ? `+${text}` : text;
  }

  const SIZES = [
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "k"],
  ];

  /** A count in thousands, millions or billions. */
  function rounded(count) {
    if (!isNumber(count)) return "–";
    // 999,950 is a million, and not a thousand thousands.
    const found = SIZES.find(([size]) => count >= 0.99995 * size);
    return found ? `${(count / found[0]).toFixed(1)} ${found[1]}` : plainly(count);
  }

  /** Three digits, however large or small: what stands at an axis. */
  function brief(value) {
    const found = SIZES.find(([size]) => Math.abs(value) >= 0.9995 * size);
    return found ? `${plainly(value / found[0])} ${found[1]}` : plainly(value);
  }

  const plainly = (value) => String(Number(value.toPrecision(3))).replace("-", "−");

  /** Documents a second, in three digits. */
  function rate(value) {
    if (!isNumber(value)) return "–";
    if (value > 0 && value < 0.001) return "under 0.001";
    return value >= 99.95 ? whole(Math.round(value)) : plainly(value);
  }

  function whole(value) {
    return isNumber(value) ? value.toLocaleString("en") : "–";
  }

  /** US dollars. */
  function money(value) {
    if (!isNumber(value)) return "–";
    if (value > 0 && value < 0.0001) return "under $0.0001";
    if (value > 0 && value < 0.00995) return `$${Number(value.toPrecision(2))}`;
    const cents = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    return `$${value.toLocaleString("en", cents)}`;
  }

  /** A share in percent: what is little is not nothing, and what is much is not all. */
  function percent(share) {
    if (!isNumber(share)) return "–";
    if (share > 0 && share < 0.005) return "less than 1 %";
    if (share < 1 && share >= 0.995) return "more than 99 %";
    return `${(100 * share).toFixed(0)} %`;
  }

  const UNITS = [
    ["year", 365.25 * 86400],
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
  ];

  /** Seconds as a person says them: "about 3 hours", "less than a second". */
  function duration(seconds) {
    if (!isNumber(seconds)) return "an unknown time";
    if (seconds < 0.95) return "less than a second";
    for (const [unit, size] of UNITS) {
      // 80 seconds, and not 1.3 minutes; but an hour, and not 58 minutes.
      if (seconds < (unit === "minute" ? 1.5 : 0.95) * size) continue;
      return `about ${counted(Math.max(1, Number((seconds / size).toPrecision(2))), unit)}`;
    }
    return `about ${counted(Math.round(seconds), "second")}`;
  }

  /** "1 model", "2 models". */
  function counted(count, noun) {
    return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
  }

  /** A facet or formulation as it is said. */
  function spoken(name) {
    return SPOKEN.get(name) ?? name.replaceAll("_", " ");
  }

  function capital(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  /** "a, b and c". */
  function listed(texts) {
    return texts.length < 2
      ? texts.join("")
      : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
  }

  /** Whether a model has seen the documents, in words. */
  function seen(value) {
    return SEEN.get(value) ?? SEEN.get("unknown");
  }

  Object.assign(SHELF, {
    isNumber,
    number,
    interval,
    signed,
    rounded,
    brief,
    rate,
    whole,
    money,
    percent,
    duration,
    counted,
    spoken,
    capital,
    listed,
    seen,
  });
})();
