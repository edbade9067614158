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
    ["out of sample by date", "written after the model was trained"],
    ["may have seen", "may have seen the documents"],
    ["unknown", "unknown whether it has seen the documents"],
    ["in pretraining data", "such texts are in pretraining data"],
    ["no pretraining", "no pretraining"],
  ]);

  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

  /** Decimals, with a true minus sign; a dash for nothing. */
  function number(value, digits = 3) {
    return isNumber(value) ? value.toFixed(digits).replace("-", "−") : "–";
  }

  function interval(low, high, digits = 3) {
    return isNumber(low) && isNumber(high)
      ? `[${number(low, digits)}, ${number(high, digits)}]`
      : "";
  }

  /** A difference, with its sign. */
  function signed(value, digits = 3) {
    return isNumber(value) && value > 0 ? `+${number(value, digits)}` : number(value, digits);
  }

  /** A count in thousands, millions or billions. */
  function rounded(count) {
    if (!isNumber(count)) return "–";
    for (const [size, letter] of [
      [1e9, "B"],
      [1e6, "M"],
      [1e3, "k"],
    ]) {
      if (count >= size) return `${(count / size).toFixed(1)} ${letter}`;
    }
    return String(count);
  }

  /** Documents a second, in three digits. */
  function rate(value) {
    if (!isNumber(value)) return "–";
    return value >= 100
      ? Math.round(value).toLocaleString("en")
      : String(Number(value.toPrecision(3)));
  }

  function whole(value) {
    return isNumber(value) ? value.toLocaleString("en") : "–";
  }

  /** US dollars. */
  function money(value) {
    if (!isNumber(value)) return "–";
    return `$${value >= 0.01 || value === 0 ? value.toFixed(2) : Number(value.toPrecision(2))}`;
  }

  /** Seconds as a person says them. */
  function duration(seconds) {
    if (!isNumber(seconds)) return "an unknown time";
    for (const [unit, size] of [
      ["day", 86400],
      ["hour", 3600],
      ["minute", 60],
    ]) {
      if (seconds >= 1.5 * size || (unit !== "minute" && seconds >= size * 0.95)) {
        return counted(Number((seconds / size).toPrecision(2)), unit);
      }
    }
    return seconds < 1 ? "less than a second" : counted(Math.round(seconds), "second");
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
    return SEEN.get(value) ?? "unknown whether it has seen the documents";
  }

  Object.assign(SHELF, {
    isNumber,
    number,
    interval,
    signed,
    rounded,
    rate,
    whole,
    money,
    duration,
    counted,
    spoken,
    capital,
    listed,
    seen,
  });
})();
