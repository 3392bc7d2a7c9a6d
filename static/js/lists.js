// Filters that act at once; lists that are as long after Back as they were.
const one = (selector) => document.querySelector(selector);

// A choice filters at once and keeps the focus of the keyboard; a text is sent by Enter.
// The window's name goes along to the next page.
const chosen = window.name;
window.name = "";
if (chosen) one(`main form [name="${CSS.escape(chosen)}"]`)?.focus({ preventScroll: true });

document.addEventListener("change", ({ target }) => {
  if (!target.matches("form[role=search] :is(select, [type=checkbox], [type=radio]), [data-now]")) return;
  if (target.matches(":focus-visible")) window.name = target.name;
  target.form.requestSubmit();
});

// After Back a list has the rows that were added to it, at the place where it was left.
const left = history.state?.list;
let added = 0;
const more = () => one("main footer .more[hx-get]");
const keepPlace = () => added && history.replaceState({ ...history.state, list: { added, top: scrollY } }, "");
const addRows = () => {
  if (added < left.added && more()) more().click();
  else scrollTo(0, left.top);
};

document.addEventListener("scrollend", keepPlace);
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (!detail.requestConfig.elt.matches("footer .more")) return;
  added += 1;
  keepPlace();
});
if (left) {
  history.scrollRestoration = "manual";
  if (document.readyState === "complete") addRows();
  else addEventListener("load", addRows);
  document.addEventListener("htmx:afterSettle", () => added <= left.added && addRows());
}
