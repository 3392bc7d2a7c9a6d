// Theme, dialogs, palette and keys. Every action also works as a link or a form without this file.
(() => {
  "use strict";

  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const cookie = (name) =>
    document.cookie.split("; ").find((pair) => pair.startsWith(name + "="))?.slice(name.length + 1);

  const keep = (name, value) => {
    document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax`;
  };

  // The server reads the cookie, so that a page never flashes in the other theme.
  const switchTheme = () => {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
    keep("memoryhub_theme", root.dataset.theme);
  };

  const announce = (text) => {
    one("#live").textContent = text;
  };

  const toast = (text) => {
    const note = one("#toast").content.cloneNode(true);
    one("span", note).textContent = text;
    one("#toasts").replaceChildren(note);
    announce(text);
  };

  const open = (id) => {
    const dialog = one("#" + id);
    if (!dialog || dialog.open) return Boolean(dialog);
    all("dialog[open]").forEach((other) => other.close());
    dialog.showModal();
    if (id === "palette") {
      showRecent();
      filterPalette();
    }
    return true;
  };

  // Palette: what the page knows is filtered here, what the server finds is swapped in below.
  const options = () => all("#palette [role=option]").filter((option) => option.checkVisibility());
  const chosen = () => options().find((option) => option.ariaSelected === "true");

  const choose = (option) => {
    all("#palette [aria-selected=true]").forEach((was) => was.setAttribute("aria-selected", "false"));
    const input = one("#palette input");
    input.removeAttribute("aria-activedescendant");
    if (!option) return;
    option.setAttribute("aria-selected", "true");
    if (option.id) input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };

  const filterPalette = () => {
    const words = one("#palette input").value.toLowerCase().split(/\s+/);
    one("#pal-recent").hidden = Boolean(words.join(""));
    all("#palette [role=group]:not(#pal-found, #pal-recent) [role=option]").forEach((option) => {
      const text = option.textContent.toLowerCase();
      option.hidden = !words.every((word) => text.includes(word));
    });
    const shown = options();
    choose(shown[0]);
    const status = one("#palette [role=status]");
    status.textContent = `${shown.length} ${status.dataset.count}`;
  };

  // Where somebody was last in this workspace; only their own browser knows.
  const memory = "memoryhub " + one("#palette form")?.getAttribute("action");

  const recent = () => {
    try {
      return JSON.parse(localStorage[memory]).filter(([href]) => href !== location.pathname);
    } catch {
      return [];
    }
  };

  const noteHere = () => {
    const title = document.title.replace(/^\(\d+\) /, "").split(" · ")[0];
    try {
      localStorage[memory] = JSON.stringify([[location.pathname, title], ...recent()].slice(0, 6));
    } catch {
      // Storage is full or switched off: nothing is recent then.
    }
  };

  const showRecent = () => {
    const model = one("#pal-recent template");
    const rows = recent().map(([href, title], at) => {
      const option = model.content.firstElementChild.cloneNode(true);
      option.id = `pal-recent-${at}`;
      option.dataset.href = href;
      one(".trunc", option).textContent = title;
      return option;
    });
    model.parentElement.replaceChildren(model, ...rows);
  };

  if (one("#palette")) noteHere();

  const onPaletteKey = (event) => {
    if (event.isComposing) return;
    const shown = options();
    const at = shown.indexOf(chosen());
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (shown.length) choose(shown[(at + step + shown.length) % shown.length]);
    }
    if (event.key === "Enter" && chosen()) {
      event.preventDefault();
      location.assign(chosen().dataset.href);
    }
  };

  // Copies a text of the page by its "#id", or what an address answers.
  const copy = async (button) => {
    const from = button.dataset.copy;
    try {
      const text = from.startsWith("#")
        ? one(from).textContent
        : await fetch(from).then((answer) => (answer.ok ? answer.text() : Promise.reject()));
      await navigator.clipboard.writeText(text);
      announce(button.dataset.copied);
      button.dataset.done = "";
    } catch {
      toast(one("#toasts").dataset.failed);
    }
  };

  const onClick = (event) => {
    const copier = event.target.closest("[data-copy]");
    if (copier) copy(copier);
    const opener = event.target.closest("[data-open]");
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey);
    if (opener && plain && open(opener.dataset.open)) event.preventDefault();
    if (event.target.closest("[data-theme-toggle]")) switchTheme();
    if (event.target.closest("[data-dismiss]")) event.target.closest(".toast").remove();
    if (event.target.closest("[data-close]") || event.target.tagName === "DIALOG") {
      event.target.closest("dialog").close();
    }
    const option = event.target.closest("#palette [role=option]");
    if (option) location.assign(option.dataset.href);
  };

  // Keys: pages name them in data attributes, `data-go="t"` for g t, `data-key="h"` for h.
  let afterG = 0;

  const move = (step) => {
    const stops = all("main :is(a, summary).cover").filter((stop) => stop.checkVisibility());
    const row = document.activeElement.closest?.("li, tr, article");
    const own = stops.indexOf(document.activeElement);
    const at = own < 0 ? stops.findIndex((stop) => row?.contains(stop)) : own;
    const next = at < 0 ? 0 : Math.max(0, Math.min(stops.length - 1, at + step));
    stops[next]?.focus();
  };

  // A key acts on the row with focus; elsewhere only if the page has one thing to act on.
  const press = (key) => {
    const selector = `[data-key="${CSS.escape(key)}"]`;
    const row = document.activeElement.closest?.("main li, main tr, main article");
    const everywhere = all(selector);
    const found = (row && one(selector, row)) || (everywhere.length === 1 ? everywhere[0] : null);
    found?.click();
    return Boolean(found);
  };

  const onFixedKey = (key) => {
    if (key === "?") return open("keys");
    if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
    if (key !== "/") return press(key);
    const field = one("main input[type=search]");
    if (field) field.focus();
    else open("palette");
    return true;
  };

  const typing = (event) =>
    event.target.closest?.("input, textarea, select, [contenteditable], dialog") ||
    event.ctrlKey || event.metaKey || event.altKey || event.isComposing;

  const onKey = (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      if (open("palette")) event.preventDefault();
      return;
    }
    if (typing(event) || cookie("memoryhub_keys") === "off") return;
    if (event.timeStamp < afterG) {
      afterG = 0;
      const target = one(`[data-go="${CSS.escape(event.key)}"]`);
      if (target) location.assign(target.href);
      return;
    }
    if (event.key === "g") {
      afterG = event.timeStamp + 900;
      return;
    }
    if (onFixedKey(event.key) && event.key === "/") event.preventDefault();
  };

  document.addEventListener("click", onClick);
  document.addEventListener("keydown", onKey);
  one("#palette input")?.addEventListener("input", filterPalette);
  one("#palette input")?.addEventListener("keydown", onPaletteKey);

  const keysSwitch = one("[data-keys-switch]");
  if (keysSwitch) {
    keysSwitch.checked = cookie("memoryhub_keys") !== "off";
    keysSwitch.addEventListener("change", () => keep("memoryhub_keys", keysSwitch.checked ? "on" : "off"));
  }

  // A row of tabs that is wider than the screen shows the one that is open.
  const tab = one(".tabs [aria-current]");
  if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - 48;

  // What the server wants said arrives as `HX-Trigger: {"announce": "Status saved"}`.
  document.addEventListener("announce", (event) => announce(event.detail.value));
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id === "pal-found") filterPalette();
  });

  // A swap that takes away what had focus leaves it on what came instead.
  let lostFrom = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const had = document.activeElement;
    lostFrom = had && had !== document.body && event.detail.target.contains(had)
      ? event.detail.target.parentElement : null;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!lostFrom || document.activeElement !== document.body) return;
    const stops = "a[href], button, input:not([type=hidden]), select, textarea, [tabindex]";
    const came = event.detail.elt;
    const next = (came.matches?.(stops) ? came : one(stops, came)) || one(stops, lostFrom) || one("main");
    lostFrom = null;
    next.focus({ preventScroll: true });
  });
  document.addEventListener("htmx:responseError", () => toast(one("#toasts").dataset.failed));
  document.addEventListener("htmx:sendError", () => toast(one("#toasts").dataset.offline));
})();
