// What sphinx-design's design-tabs.js, which syncs and remembers the tabs, leaves open.
const { group, tabs } = document.currentScript.dataset;

// ?fw=jax also counts on a page without tabs, and an unknown name does not undo the choice.
const chosen = new URLSearchParams(location.search).get(group);
if (chosen !== null) {
  if (tabs.split(" ").includes(chosen)) {
    try {
      localStorage.setItem(`sphinx-design-tab-id-${group}`, chosen);
    } catch {
      // storage is blocked: the choice holds for this page only
    }
  } else {
    const url = new URL(location);
    url.searchParams.delete(group);
    history.replaceState(null, "", url);
  }
}

// The other tab sets change their height with this one: keep the reader where the tab is.
const topOf = (event) => {
  const label = event.target.nextElementSibling;
  return label?.classList.contains("sd-tab-label") ? label.getBoundingClientRect().top : null;
};
let before = null;
document.addEventListener("change", (event) => { before = topOf(event); }, true);
document.addEventListener("change", (event) => {
  if (before !== null) scrollBy({ top: topOf(event) - before, behavior: "instant" });
});
