// While the book is written: loads the page again after each build, where the reader was.
{
  const { build } = document.currentScript.dataset;
  const KEY = "d2lrnn-place";

  // Text above may get longer or shorter, so the place is kept as one under a target of the page.
  const remember = () => {
    const shown = [...document.querySelectorAll("article [id]")].map(
      (element) => [element.id, element.getClientRects()[0]?.top]);
    const [id, top] = shown.filter(([, top]) => top <= innerHeight / 3).at(-1) ?? [];
    sessionStorage.setItem(KEY, JSON.stringify({ path: location.pathname, id, top, y: scrollY }));
    history.scrollRestoration = "manual";
  };

  const recall = () => {
    const place = JSON.parse(sessionStorage.getItem(KEY));
    sessionStorage.removeItem(KEY);
    // until the page is loaded, the browser would put its own idea of the place over this one
    addEventListener("load", () => setTimeout(() => { history.scrollRestoration = "auto"; }));
    if (place?.path !== location.pathname) return;
    let moved = false;
    for (const kind of ["wheel", "keydown", "pointerdown"]) {
      addEventListener(kind, () => { moved = true; }, { once: true, passive: true });
    }
    const go = () => {
      if (moved) return;
      const top = document.getElementById(place.id)?.getClientRects()[0]?.top;
      const by = top === undefined ? place.y - scrollY : top - place.top;
      scrollBy({ top: by, behavior: "instant" });
    };
    go();
    // formulas change their height once they are set
    addEventListener("load", () => { go(); globalThis.MathJax?.startup?.promise?.then(go); });
  };

  const show = (problem) => {
    document.getElementById(KEY)?.remove();
    if (!problem) return;
    const note = document.createElement("pre");
    note.id = KEY;
    note.setAttribute("role", "status");
    note.style.cssText = "position:fixed;inset:auto 0 0 0;z-index:1000;margin:0;padding:.7rem 1rem;"
      + "max-height:40vh;overflow:auto;white-space:pre-wrap;font-size:.8rem;color:#fff;"
      + "background:#7a1020";
    note.textContent = `The last build failed.\n${problem}`;
    document.body.append(note);
  };

  recall();
  new EventSource("/-/builds").addEventListener("message", ({ data }) => {
    const told = JSON.parse(data);
    if (told.build !== build) {
      remember();
      location.reload();
    } else {
      show(told.problem);
    }
  });
}
