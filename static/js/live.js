// News of the workspace: a pill over new events, how old the page's data is, and in
// title and icon of the page how many things wait for the person.
// Nothing on the page moves or is replaced before somebody asks for it.
(() => {
  "use strict";

  const bar = document.querySelector("[data-live]");
  if (!bar) return;

  const label = bar.querySelector("span");
  const list = document.querySelector("main [data-news]");
  const news = new URL(list?.dataset.news || bar.dataset.news, location.href);
  const [SLOW, FAST, ACTIVE, RETRY] = [15000, 3000, 60000, 150];
  let { seq, checked } = bar.dataset;
  let [source, timer, active, asking, wanted] = [null, 0, 0, false, 0];
  let updated = new Date();

  const clock = (at) => at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

  const icon = document.querySelector('link[rel="icon"]');

  const showTurns = (number) => {
    const title = document.title.replace(/^\(\d+\) /, "");
    document.title = number ? `(${number}) ${title}` : title;
    icon.href = number ? icon.dataset.turn : icon.dataset.calm;
  };

  const showOffline = () => {
    bar.classList.add("off");
    label.textContent = `${bar.dataset.offline} ${clock(updated)}`;
  };

  const ask = async (rows) => {
    news.searchParams.set("after", seq);
    news.searchParams.set("checked", rows ? "" : checked);
    if (rows) news.searchParams.set("rows", "1");
    else news.searchParams.delete("rows");
    const answer = await fetch(news, { headers: { "HX-Request": "true" }, cache: "no-store" });
    if (!answer.ok) throw new Error(answer.statusText);
    const html = answer.status === 204 ? "" : await answer.text();
    const part = new DOMParser().parseFromString(html, "text/html").querySelector("[data-fresh]");
    return { part, reached: Number(answer.headers.get("Memoryhub-Seq")) };
  };

  const showFreshness = (part) => {
    updated = new Date();
    if (part) {
      checked = part.dataset.checked;
      bar.dataset.label = part.dataset.fresh;
      showTurns(Number(part.dataset.turns));
    }
    label.textContent = bar.dataset.label;
    bar.classList.remove("off");
  };

  const showPill = (text) => {
    if (!list.querySelector(".pill")) {
      const model = list.querySelector("template");
      model.after(model.content.cloneNode(true));
    }
    const pill = list.querySelector(".pill");
    pill.onclick = load;
    if (pill.textContent !== text) pill.textContent = text;
  };

  const load = async () => {
    const box = list.querySelector(".pill-box");
    const had = box.contains(document.activeElement);
    list.setAttribute("aria-busy", "true");
    try {
      const { part, reached } = await ask(true);
      const section = part?.querySelector("section");
      if (section) {
        list.querySelector(".empty")?.remove();
        list.querySelector("template").after(section);
        if (had) section.querySelector("a.cover, summary.cover")?.focus();
      }
      seq = reached;
      box.remove();
      showFreshness(part);
    } catch {
      showOffline();
    }
    list.removeAttribute("aria-busy");
  };

  // A stream tells of the journal; rows follow in the same moment or one after it.
  const look = async () => {
    if (asking) return;
    asking = true;
    try {
      const { part, reached } = await ask(false);
      showFreshness(part);
      if (part?.dataset.pill && list) showPill(part.dataset.pill);
      if (reached < wanted) setTimeout(look, RETRY);
    } catch {
      showOffline();
    }
    asking = false;
  };

  const poll = () => {
    clearTimeout(timer);
    const soon = Date.now() - active < ACTIVE;
    timer = setTimeout(() => look().then(poll), soon ? FAST : SLOW);
  };

  const close = () => {
    clearTimeout(timer);
    timer = 0;
    source?.close();
    source = null;
  };

  // A browser has few connections to a host: pages that nobody sees hold none.
  const open = () => {
    if (source || document.hidden) return;
    if (!window.EventSource) return poll();
    source = new EventSource(`${bar.dataset.live}&after=${seq}`);
    const onNews = (event) => {
      wanted = Math.max(wanted, JSON.parse(event.data).seq || 0);
      look();
    };
    source.addEventListener("changed", onNews);
    source.addEventListener("checked", onNews);
    source.addEventListener("open", () => {
      clearTimeout(timer);
      timer = 0;
      if (bar.classList.contains("off")) look();
    });
    source.addEventListener("error", () => {
      if (!timer) look().then(poll);
    });
  };

  for (const kind of ["pointerdown", "keydown"]) {
    document.addEventListener(kind, () => { active = Date.now(); }, { passive: true });
  }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return close();
    open();
    look();
  });
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
})();
