// Forms in place: what a text costs in tokens while it is written, Escape, what was done said aloud.
(() => {
  "use strict";

  const tokens = (length) => Math.ceil(length / 4);

  const count = (field) => {
    const shown = document.getElementById(field.dataset.tokens);
    if (!shown) return;
    const now = tokens([...field.value].length);
    const delta = now - tokens(Number(field.dataset.was));
    const sign = delta > 0 ? "+" : "−";
    const change = delta ? `${sign}${Math.abs(delta)}` : shown.dataset.same;
    shown.textContent = delta ? `${now} ${shown.dataset.words}, ${change}` : `${now} ${change}`;
  };

  const countAll = () => document.querySelectorAll("[data-tokens]").forEach(count);

  document.addEventListener("input", (event) => {
    if (event.target.dataset?.tokens) count(event.target);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    const cancel = event.target.closest?.("form[data-edit]")?.querySelector("[data-cancel]");
    if (cancel) {
      event.preventDefault();
      cancel.click();
    }
  });

  document.addEventListener("htmx:afterSwap", () => {
    countAll();
    const field = document.querySelector("form[data-edit] [data-focus]");
    if (field && !field.dataset.begun) {
      field.dataset.begun = "yes";
      field.focus();
    } else if (document.activeElement === document.body && !document.querySelector("form[data-edit]")) {
      document.getElementById("edit-status")?.focus();
    }
  });

  // A live region that is full when the page loads is not read out: fill it once more.
  const live = document.getElementById("live");
  const said = live?.textContent.trim();
  if (said) {
    live.textContent = "";
    setTimeout(() => { live.textContent = said; }, 200);
  }

  countAll();
})();
