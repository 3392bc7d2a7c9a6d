// An act in its dialog, fetched when it is first opened: where focus goes after it.
let opener = null;
let others = [];

/** Remember the link whose act the dialog shows. */
export const begin = (link) => { opener = link; };

// The row that was acted on may move away: focus goes to the one after it, else before it.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "main") return;
  const row = opener.closest("li, tr");
  const rows = [...(row?.parentElement.children || [])];
  const at = rows.indexOf(row);
  others = [...rows.slice(at + 1), ...rows.slice(0, at).reverse()]
    .map((other) => other.querySelector("a.cover")?.getAttribute("href"));
});

document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (detail.target.id !== "main") return;
  const links = [...document.querySelectorAll("main a.cover")];
  const next = others.map((href) => links.find((link) => link.getAttribute("href") === href)).find(Boolean);
  (next || links[0] || document.getElementById("main")).focus();
});
