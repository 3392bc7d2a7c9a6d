// News: a pill where the journal grew since the page was rendered, how old the page is,
// how much waits for the person. Nothing is replaced before somebody asks for it.
const [ASK, RETRY, TRIES, OLD] = [5000, 150, 20, 60000];
const find = (what) => document.querySelector(what);
const icon = find("link[rel=icon]");
// Rendered anew with the page, and with it the addresses.
const box = () => find("#news");
let [source, asking, wanted, tries, updated] = [null, false, 0, 0, new Date()];

const showNews = ({ turns, pill }) => {
  const title = document.title.replace(/^\([\d+]+\) /, "");
  document.title = turns ? `(${turns}) ${title}` : title;
  icon.href = turns ? icon.dataset.turn : icon.dataset.calm;
  const button = box().firstElementChild;
  // A status is read out whenever it is written.
  if (button.textContent !== pill) button.textContent = pill;
  button.hidden = !pill;
};

// The label is that of what the page shows: an old page keeps it.
const showFreshness = (online, said) => {
  const fresh = find("#fresh");
  const current = said?.pill === "";
  if (current) updated = new Date();
  if (!fresh) return;
  const { dataset } = box();
  if (current) dataset.label = said.label;
  find("#fresh span").textContent = online ? dataset.label : `${fresh.dataset.offline} ${updated.toTimeString().slice(0, 5)}`;
  fresh.classList.toggle("off", !online);
};

// The stream tells of the journal; rows may follow a moment later.
const ask = async () => {
  if (asking) return;
  asking = true;
  const at = box();
  try {
    const answer = await fetch(at.dataset.news, { headers: { "HX-Request": "true" }, cache: "no-store" });
    // Signed out.
    if (answer.status === 401) location.reload();
    if (!answer.ok) throw new Error(answer.statusText);
    const said = await answer.json();
    const same = at === box();
    if (same) showNews(said);
    showFreshness(true, same && said);
    if ((!same || said.seq < wanted) && tries-- > 0) setTimeout(ask, RETRY);
  } catch {
    showFreshness(false);
  }
  asking = false;
};

const onNews = ({ lastEventId }) => {
  [wanted, tries] = [Number(lastEventId), TRIES];
  ask();
};

// A browser has few connections to a host; hidden pages hold none.
const listen = () => {
  source?.close();
  source = null;
  if (document.hidden) return;
  source = new EventSource(box().dataset.live);
  source.addEventListener("changed", onNews);
  source.addEventListener("checked", onNews);
};

// Without a stream the page asks by itself; in a minute without news, how old it is.
setInterval(() => {
  const cut = source?.readyState !== EventSource.OPEN || find(".imp.off");
  const old = new Date() - updated > OLD && box().firstElementChild.hidden;
  if ((cut || old) && !document.hidden) ask();
}, ASK);

document.addEventListener("htmx:afterSettle", () => showFreshness(true));
document.addEventListener("htmx:confirm", (event) => {
  const fields = document.querySelectorAll("main form[method=post] :is(input, textarea)");
  const typed = [...fields].some((field) => field.value !== field.defaultValue);
  if (typed && event.target.matches(".pill") && !confirm(box().dataset.typed)) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  listen();
  if (!document.hidden) ask();
});
listen();
