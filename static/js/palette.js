// The palette, fetched when it is first opened: what the page knows is filtered here,
// what the server finds is swapped in below.
const palette = document.getElementById("palette");
const input = palette.querySelector("input");
const places = palette.querySelector("#pal-recent");
const status = palette.querySelector("[role=status]");

const options = (within = "") => [...palette.querySelectorAll(`${within} [role=option]`)];
const shown = () => options().filter((option) => option.checkVisibility());
const chosen = () => options().find((option) => option.ariaSelected === "true");

const choose = (option) => {
  chosen()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", option?.id || "");
};

const filter = () => {
  const words = input.value.toLowerCase().split(/\s+/);
  places.hidden = Boolean(words.join(""));
  for (const option of options("#pal-known")) {
    const text = option.textContent.toLowerCase();
    option.hidden = !words.every((word) => text.includes(word));
  }
  const known = options("#pal-known").filter((option) => !option.hidden).map((option) => option.dataset.href);
  for (const option of options("#pal-found")) option.hidden = known.includes(option.dataset.href);
  choose(shown()[0]);
  status.textContent = `${shown().length} ${status.dataset.count}`;
};

const onKey = (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const go = event.key === "Enter" && chosen();
  if (event.isComposing || !(step || go)) return;
  event.preventDefault();
  if (go) location.assign(go.dataset.href);
  else choose(shown().at((shown().indexOf(chosen()) + step) % shown().length));
};

let begun = false;

/** Show the `[address, title]` of recent places; filter by what was typed so far. */
export const begin = (opener, { recent }) => {
  const model = places.querySelector("template");
  const rows = recent().map(([href, title], at) => {
    const option = model.content.firstElementChild.cloneNode(true);
    option.id = `pal-recent-${at}`;
    option.dataset.href = href;
    option.querySelector(".trunc").textContent = title;
    return option;
  });
  places.replaceChildren(model, ...rows);
  // People type already while this file loads.
  if (begun) input.select();
  begun = true;
  filter();
};

input.addEventListener("input", filter);
input.addEventListener("keydown", onKey);
palette.addEventListener("htmx:afterSwap", () => {
  const kept = chosen();
  filter();
  if (shown().includes(kept)) choose(kept);
});
palette.addEventListener("click", (event) => {
  const option = event.target.closest("[role=option]");
  if (option) location.assign(option.dataset.href);
});
