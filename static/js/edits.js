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

  // An act is done in a dialog; then focus goes to the next card, since the one it was of moved on.
  const act = document.getElementById("act");
  let [opener, after] = [null, []];

  const rowsAfter = (card) => {
    const rows = [...(card?.closest("ol, ul, tbody")?.children || [])];
    const at = rows.findIndex((row) => row.contains(card));
    return [...rows.slice(at + 1), ...rows.slice(0, at).reverse()]
      .map((row) => row.querySelector("a.cover")?.getAttribute("href"));
  };

  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt } = event.detail;
    if (event.detail.target?.id === "act-body" && !act.contains(elt)) opener = elt;
    if (!elt.matches("form[data-act]") || !act.contains(elt)) return;
    const card = opener?.closest("article, li, tr");
    after = rowsAfter(card);
    card?.setAttribute("aria-busy", "true");
  });

  document.addEventListener("htmx:afterRequest", () => {
    opener?.closest("[aria-busy]")?.removeAttribute("aria-busy");
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id !== "act-body") return;
    if (!act.open) act.showModal();
    act.querySelector("[data-focus], a[href], button")?.focus();
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    if (act?.open && event.detail.target?.id === "main") {
      act.close();
      const links = [...document.querySelectorAll("main a.cover")];
      const next = after.map((href) => links.find((link) => link.getAttribute("href") === href)).find(Boolean);
      (next || links[0] || document.getElementById("main")).focus();
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
