// Runs in the head, before anything is drawn: the theme that was chosen, and the name of all parts.
"use strict";
globalThis.SHELF = {};
(() => {
  const KEY = "shelf-theme";
  const root = document.documentElement;

  // Storage is closed in some private windows and for some files.
  function remembered() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }

  function remember(theme) {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // The choice then lasts as long as the page.
    }
  }

  function isDark() {
    const chosen = root.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  const before = remembered();
  if (before === "dark" || before === "light") root.dataset.theme = before;
  root.classList.add("scripted");

  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const say = () => {
      button.textContent = isDark() ? "Light page" : "Dark page";
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      say();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", say);
    button.hidden = false;
    say();
  });
})();
