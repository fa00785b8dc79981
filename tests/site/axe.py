"""What axe-core objects to: WCAG 2.x A and AA, and its best practices."""
from axe_playwright_python.base import AXE_SCRIPT

# The tabs of all frameworks at once. What axe-core would look at a thousand times is left out:
# outlines of letters in formulas, and of colored words of code all but one of a kind.
SHOW_ALL = '''() => {
  const met = new Set();
  const style = document.createElement("style");
  style.textContent = "article [data-fw] { display: block !important; }";
  document.head.append(style);
  document.querySelectorAll("mjx-container > svg").forEach((one) => one.replaceChildren());
  for (const word of document.querySelectorAll("pre span:not(:has(*))")) {
    const kind = `${word.className} of ${word.closest("div[class*=highlight-]")?.className}`;
    if (met.has(kind)) word.replaceWith(word.textContent);
    else met.add(kind);
  }
  document.body.normalize();
}'''
GROUND = '''(node) => {
  for (; node !== document.documentElement; node = node.parentElement) {
    if (getComputedStyle(node).backgroundColor !== "rgba(0, 0, 0, 0)") break;
  }
  return getComputedStyle(node).backgroundColor;
}'''
# Contrast takes axe-core most of its time: of all text that looks the same, one piece is enough.
KINDS = '''() => {
  const ground = %s;
  const kinds = new Map();
  for (const node of document.body.querySelectorAll("*")) {
    if (![...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim())) continue;
    if (!node.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight, opacity } = getComputedStyle(node);
    const kind = [color, ground(node), fontSize, fontWeight, opacity].join();
    if (!kinds.has(kind)) kinds.set(kind, node);
  }
  return [...kinds.values()];
}''' % GROUND
RUN = '''async ([kinds, options]) => (await axe.run(kinds ? (%s)() : document,
    { resultTypes: ["violations"], ...options })).violations.flatMap(({ id, nodes }) =>
  nodes.slice(0, 3).map((node) => `${id} at ${node.target}: ${node.failureSummary}`))''' % KINDS
# scroll.js looks at sizes once they are drawn.
DRAWN = '() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))'
COLORS = {'runOnly': ['color-contrast']}
OTHERS = {'rules': {'color-contrast': {'enabled': False}}}
# The theme's switches of its two drawers stand before all landmarks, since they can only switch
# what follows them (https://github.com/pradyunsg/furo, theme/furo/page.html).
ALLOWED = ('region at #__navigation:', 'region at #__toc:')




class Axe:
    """Of one page, which looks different afterwards.

    Args:
        page: of playwright.
    """

    def __init__(self, page):
        self.page = page
        page.evaluate(SHOW_ALL)
        page.evaluate(AXE_SCRIPT)

    def colors(self, scheme):
        """What cannot be read where the reader's system is `light` or `dark`."""
        self.page.emulate_media(color_scheme=scheme)
        return self.found(True, COLORS)

    def others(self):
        """All but the colors."""
        self.page.evaluate(DRAWN)
        return self.found(False, OTHERS)

    def found(self, kinds, options):
        return [one for one in self.page.evaluate(RUN, [kinds, options])
                if not one.startswith(ALLOWED)]
