// One choice of the framework for all tab sets, the side bar, all pages and all windows.
// Runs in the head: the buttons are set while the page is read, before anything is painted.
"use strict";
{
  const KEY = "d2lrnn-fw";
  const root = document.documentElement;
  const names = new Map(Object.entries(JSON.parse(document.currentScript.dataset.tabs)));
  const [usual] = names.values();
  const radios = document.getElementsByClassName("fw-radio"); // grows with the page
  const known = (name) => names.get(name?.toLowerCase()) ?? null;

  // Where storage is blocked, a choice holds for this page only.
  const stored = () => { try { return known(localStorage.getItem(KEY)); } catch { return null; } };
  const remember = (tab) => { try { localStorage.setItem(KEY, tab); } catch { /* blocked */ } };

  let done = 0;
  const check = (from) => {
    for (done = from; done < radios.length; done++) {
      const radio = radios[done]; // the first of a group counts where the chosen one is not in it
      if (radio.value === root.dataset.fw || !radio.previousElementSibling) radio.checked = true;
    }
  };

  const header = () =>
    Math.max(0, document.querySelector(".mobile-header").getBoundingClientRect().bottom);

  // What the reader has at the top of the window: a block that starts there, or else fills it.
  const first = () => {
    const top = header();
    const all = document.querySelectorAll("article :is(h1, h2, h3, p, li, pre, .sd-tab-set)");
    const blocks = [...all]
      .filter((block) => !block.parentElement.closest(".sd-tab-set, .fw-only"))
      .map((block) => [block, block.getBoundingClientRect()])
      .filter(([, place]) => place.bottom > top && place.top < innerHeight / 2);
    const [block] = blocks.find(([, place]) => place.top >= top) ?? blocks.at(-1) ?? [];
    return block ?? document.querySelector("article");
  };

  // The tab sets above the window change their height, but `still` stays where it is.
  const show = (tab, still) => {
    const before = still.getBoundingClientRect().top;
    root.dataset.fw = tab;
    check(0);
    const { top, height } = still.getBoundingClientRect();
    // a tab set that no longer reaches down into the window is shown from its labels on
    const place = before + height > header() ? before : header();
    // whole pixels: what the browser rounds off would add up from one choice to the next
    scrollBy({ top: Math.trunc(top - place), behavior: "instant" });
  };

  const asked = known(new URLSearchParams(location.search).get("fw"));
  // Back and reload show what was chosen since, not what the address once asked for.
  const [visit] = performance.getEntriesByType("navigation");
  const now = visit?.type === "navigate" ? asked : null;
  if (now) remember(now);
  root.dataset.fw = now ?? stored() ?? asked ?? usual;
  const reading = new MutationObserver(() => check(done));
  reading.observe(document, { childList: true, subtree: true });
  document.addEventListener("DOMContentLoaded", () => { check(done); reading.disconnect(); });

  document.addEventListener("change", ({ target }) => {
    if (!target.matches(".fw-radio")) return;
    remember(target.value);
    show(target.value, target.closest(".content") ? target.parentElement : first());
    const url = new URL(location);
    if (url.searchParams.has("fw")) { // or the next reload would undo the choice
      url.searchParams.set("fw", target.value);
      history.replaceState(history.state, "", url);
    }
  });
  addEventListener("storage", ({ key }) => {
    if (key === KEY && stored()) show(stored(), first());
  });
  addEventListener("pageshow", ({ persisted }) => { // back from another page, or old buttons
    if (persisted) root.dataset.fw = stored() ?? root.dataset.fw;
    check(0);
  });
  // From reveal.js: only for this page.
  document.addEventListener("framework", ({ detail }) => show(detail, first()));
}
