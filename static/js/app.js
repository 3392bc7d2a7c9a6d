// Theme, dialogs, keys, focus.
const root = document.documentElement;
const one = (selector, within = document) => within.querySelector(selector);

// The server reads the cookie, so that no page flashes in the other theme.
const prefer = (name, value) => {
  root.dataset[name] = value;
  document.cookie = `memoryhub_${name}=${value}; path=/; max-age=31536000; samesite=lax`;
};

const switchTheme = () => {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  prefer("theme", (root.dataset.theme || system) === "dark" ? "light" : "dark");
};

const announce = (text) => { one("#live").textContent = text; };

const warn = (code) => {
  const text = one("#toasts").dataset[code];
  one("#toasts").replaceChildren(one("#toast").content.cloneNode(true));
  one("#toasts span").textContent = text;
  announce(text);
};

// A line that was chosen is the one to comment.
const chooseLine = () => {
  const line = /^#L(\d+)$/.exec(location.hash);
  const field = one("#comment-line");
  if (line && field) field.value = line[1];
};

addEventListener("hashchange", chooseLine);
chooseLine();

// What was opened last.
const memory = "memoryhub " + one("#palette form")?.getAttribute("action");

const recent = () => {
  try {
    return JSON.parse(localStorage[memory]).filter(([href]) => href !== location.pathname);
  } catch {
    return [];
  }
};

if (one("#palette")) {
  const title = document.title.replace(/^\([\d+]+\) /, "").split(" · ")[0];
  try {
    localStorage[memory] = JSON.stringify([[location.pathname, title], ...recent()].slice(0, 6));
  } catch {
    // Without storage nothing is recent.
  }
}

// Scripts of dialogs and buttons are fetched when used.
const use = (script, user) => import(script)
  .then((module) => module.begin(user, { recent, announce, warn }))
  .catch(() => warn("offline"));

const open = (id, opener) => {
  const dialog = document.getElementById(id);
  if (dialog && !dialog.open) {
    dialog.showModal();
    if (dialog.dataset.script) use(dialog.dataset.script, opener);
  }
  return Boolean(dialog);
};

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const on = (name) => event.target.closest(name);
  const [user, opener, closed] = [on("button[data-script]"), on("[data-open]"), on("dialog [data-close]")];
  if (user) use(user.dataset.script, user);
  if (on("[data-theme-toggle]")) switchTheme();
  if (on("[data-keys-switch]")) prefer("keys", event.target.checked ? "on" : "off");
  if (on("[data-dismiss]")) on(".toast").remove();
  if (closed) closed.closest("dialog").close();
  if (closed || (opener && open(opener.dataset.open, opener))) event.preventDefault();
});

// Pages name their keys: `data-go="t"` for g t, `data-key="h"` for h.
let afterG = 0;

const go = (key) => one(`[data-go="${CSS.escape(key)}"]`)?.click();

const move = (step) => {
  const stops = [...document.querySelectorAll("main :is(a, summary).cover")].filter((stop) => stop.checkVisibility());
  const row = document.activeElement.closest("li, tr, article");
  const at = stops.findIndex((stop) => stop === document.activeElement || row?.contains(stop));
  stops[at < 0 ? 0 : Math.max(0, Math.min(stops.length - 1, at + step))]?.focus();
};

// A key acts on the row with focus, or on the only thing to act on.
const press = (key) => {
  const selector = `[data-key="${CSS.escape(key)}"]`;
  const row = document.activeElement.closest("main :is(li, tr, article)");
  const [only, other] = document.querySelectorAll(selector);
  ((row && one(selector, row)) || (other ? null : only))?.click();
};

const find = () => {
  const field = one("main input[type=search]");
  if (field) field.focus();
  else open("palette");
};

const onSingleKey = (event) => {
  const { key, timeStamp } = event;
  if (timeStamp < afterG) {
    afterG = 0;
    go(key);
  } else if (key === "g") afterG = timeStamp + 900;
  else if (key === "?") open("keys");
  else if (key === "j") move(1);
  else if (key === "k") move(-1);
  else if (key === "/") {
    event.preventDefault();
    find();
  }
  else press(key);
};

document.addEventListener("keydown", (event) => {
  const combined = event.ctrlKey || event.metaKey;
  if (event.isComposing) return;
  if (event.key === "Escape") event.target.closest("form")?.querySelector("[data-cancel]")?.click();
  if (combined && event.key.toLowerCase() === "k") {
    if (open("palette")) event.preventDefault();
  } else if (!combined && !event.altKey && root.dataset.keys !== "off"
    && !event.target.closest("input, textarea, select, [contenteditable], dialog")) {
    onSingleKey(event);
  }
});

const keys = one("[data-keys-switch]");
if (keys) keys.checked = root.dataset.keys !== "off";

// The open tab is seen.
const tab = one(".tabs [aria-current]");
if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - 48;

// A region that is full from the start is not read out.
const said = one("#live").textContent.trim();
if (said) {
  announce("");
  setTimeout(announce, 200, said);
}

// Comes as `HX-Trigger: {"announce": "Status saved"}`.
document.addEventListener("announce", (event) => announce(event.detail.value));
document.addEventListener("htmx:responseError", () => warn("failed"));
document.addEventListener("htmx:sendError", () => warn("offline"));

// What comes into a dialog opens it; what comes in the page's place closes it.
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  open(detail.target.closest("dialog")?.id, detail.requestConfig.elt);
  if (detail.target.id === "main") one("dialog[open]")?.close();
});

// Focus goes where the new part says, or to the first stop.
const stops = "a[href], button, input:not([type=hidden]), select, textarea, [tabindex]";
let lostFrom = null;

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  lostFrom = detail.target.contains(document.activeElement) ? detail.target.parentElement : null;
});
document.addEventListener("htmx:afterSettle", ({ detail: { elt } }) => {
  const within = (selector) => (elt.matches(selector) ? elt : one(selector, elt));
  const named = within("[data-focus]")?.dataset.focus;
  if (!named && (!lostFrom?.contains(elt) || document.activeElement !== document.body)) return;
  const next = named ? one(named) : within(stops) || one(stops, lostFrom) || one("main");
  next.focus({ preventScroll: true });
  lostFrom = null;
});

if (one("[role=search], [data-now], .more")) import(one("main").dataset.lists);
