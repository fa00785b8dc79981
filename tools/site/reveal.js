// A link or a search result may lead into the tab of another framework, or into a solution: then
// this page shows it. The choice that is remembered stays.
"use strict";
{
  const PANEL = ".sd-tab-content[data-fw]", BLOCK = "p, li, td, dt, pre, h1, h2, h3, h4";
  const article = document.querySelector("article");
  const text = (nodes) => nodes.map((node) => node.textContent).join("\n").toLowerCase();
  const shown = () => document.documentElement.dataset.fw;

  const reveal = (element, block) => {
    const tab = element.closest(PANEL)?.dataset.fw;
    if (tab && tab !== shown()) {
      document.dispatchEvent(new CustomEvent("framework", { detail: tab }));
    }
    for (let at = element; at; at = at.parentElement) if (at.matches("details")) at.open = true;
    element.scrollIntoView({ block, behavior: "instant" });
  };

  const toAnchor = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.closest(PANEL)) reveal(target, "start");
  };
  addEventListener("hashchange", toAnchor);

  // What was searched for: Sphinx leaves the words for the page that is opened, and marks them.
  const searched = () => {
    let words = "";
    try { words = localStorage.getItem("sphinx_highlight_terms") ?? ""; } catch { /* blocked */ }
    const phrase = new URLSearchParams(document.referrer.split("?")[1]).get("q") ?? "";
    return words && [...words.split(" "), phrase.toLowerCase()];
  };

  const toHit = (terms) => {
    const panels = [...article.querySelectorAll(PANEL)];
    const rest = article.cloneNode(true);
    rest.querySelectorAll(PANEL).forEach((panel) => panel.remove());
    // a tab set without a framework shows another one's tab
    const visible = (tab) => panels.filter((panel) => panel.dataset.fw === tab
      || !panel.parentElement.querySelector(`:scope > [data-fw="${tab}"]`));
    const missing = (tab) => {
      const found = text([rest, ...visible(tab)]);
      return terms.filter((term) => !found.includes(term));
    };
    const tabs = [shown(), ...new Set(panels.map((panel) => panel.dataset.fw))];
    const best = tabs.reduce((a, b) => (missing(b).length < missing(a).length ? b : a));
    const hidden = missing(shown());
    const panel = best === shown() ? null : visible(best).find(
      (one) => hidden.some((term) => text([one]).includes(term)));
    const marks = [...(panel ?? article).querySelectorAll(".highlighted")]
      .filter((one) => panel || one.checkVisibility() || one.closest("details:not([open])"));
    // Sphinx marks each word, even inside other words: prefer where all that was typed stands
    const mark = marks.find((one) => text([one.closest(BLOCK) ?? one]).includes(terms.at(-1)))
      ?? marks[0] ?? panel;
    if (mark) reveal(mark, "center");
  };

  const terms = searched();
  if (location.hash) toAnchor();
  else if (terms) addEventListener("load", () => setTimeout(toHit, 50, terms));
}
