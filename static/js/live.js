// News: a pill over new events, how old the page is, how much waits for the person.
// Nothing is replaced before somebody asks for it.
const bar = document.querySelector("[data-live]");
const [ASK, RETRY, OLD] = [5000, 150, 60000];
const label = bar.querySelector("span");
const icon = document.querySelector("link[rel=icon]");
// Where the page's own news are; what is done on a page can replace it.
const list = () => document.querySelector("main [data-news]") ?? bar;
let { checked } = bar.dataset;
let [source, asking, wanted, updated] = [null, false, 0, new Date()];

const showFreshness = (said) => {
  const { turns } = said;
  const title = document.title.replace(/^\([\d+]+\) /, "");
  document.title = turns ? `(${turns}) ${title}` : title;
  icon.href = turns ? icon.dataset.turn : icon.dataset.calm;
  bar.dataset.label = said.fresh;
  checked = said.checked;
};

const showOnline = (online) => {
  if (online) updated = new Date();
  label.textContent = online ? bar.dataset.label : `${bar.dataset.offline} ${updated.toTimeString().slice(0, 5)}`;
  bar.classList.toggle("off", !online);
};

const showPill = (at, text = "") => {
  const pill = at.querySelector(".pill");
  if (!pill) return;
  pill.textContent = text;
  pill.hidden = !text;
};

const showRows = (at, rows) => {
  if (rows) {
    at.querySelector(".empty")?.remove();
    at.querySelector(".pill-box").after(rows);
    rows.querySelector("a.cover, summary.cover")?.focus();
  }
  showPill(at);
};

const fetchNews = async ({ dataset: { news, seq } }, rows) => {
  const url = new URL(news, location.href);
  url.searchParams.set("after", seq);
  url.searchParams.set(...(rows ? ["rows", 1] : ["checked", checked]));
  const answer = await fetch(url, { headers: { "HX-Request": "true" }, cache: "no-store" });
  // Signed out.
  if (answer.status === 401) location.reload();
  if (!answer.ok) throw new Error(answer.statusText);
  const html = new DOMParser().parseFromString(await answer.text(), "text/html");
  return [html.querySelector("[data-fresh]"), Number(answer.headers.get("Memoryhub-Seq"))];
};

// The stream tells of the journal; rows may follow a moment later.
const ask = async (rows) => {
  if (asking && !rows) return;
  asking = true;
  try {
    const at = list();
    const [part, reached] = await fetchNews(at, rows);
    if (part) showFreshness(part.dataset);
    if (rows) {
      at.dataset.seq = reached;
      showRows(at, part?.querySelector("section"));
    } else if (part?.dataset.pill) showPill(at, part.dataset.pill);
    showOnline(true);
    if (reached < wanted) setTimeout(ask, RETRY);
  } catch {
    showOnline(false);
  }
  asking = false;
};

const onNews = (event) => {
  wanted = Math.max(wanted, JSON.parse(event.data).seq || 0);
  ask();
};

// A browser has few connections to a host; hidden pages hold none.
const listen = () => {
  source?.close();
  source = null;
  if (document.hidden) return;
  source = new EventSource(`${bar.dataset.live}&after=${list().dataset.seq}`);
  source.addEventListener("changed", onNews);
  source.addEventListener("checked", onNews);
};

// Without a stream the page asks by itself; in a minute without news, how old it is.
setInterval(() => {
  const cut = source?.readyState !== EventSource.OPEN || bar.classList.contains("off");
  const old = new Date() - updated > OLD;
  if (old) checked = "";
  if ((cut || old) && !document.hidden) ask();
}, ASK);

document.querySelector(".pill:not([hx-get])")?.addEventListener("click", () => ask(true));
document.addEventListener("visibilitychange", () => {
  listen();
  if (!document.hidden) ask();
});
listen();
