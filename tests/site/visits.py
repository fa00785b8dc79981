"""One visit to each page of the rendered book, for all tests that look at it."""
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace

from d2lrnn import BACKENDS

from tests.site.axe import Axe
from tools import chapter

TABS = [row.tab for row in BACKENDS]
DESKTOP, PHONE = 1280, 390
HEIGHT = 900

TYPESET = 'async () => { await window.MathJax?.startup?.promise; await document.fonts.ready; }'
UNFOLD = '() => document.querySelectorAll("details").forEach((one) => { one.open = true; })'
CHOOSE = 'tab => document.querySelector(`.fw-radio[value="${tab}"]`).click()'
READ = '''() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const output = (node) => {
    const image = node.matches("img") || node.querySelector("img, svg");
    const text = image ? "" : (node.querySelector("pre") ?? node).textContent;
    return image ? "image" : text;
  };
  return {
    cells: all("article div.cell").map((cell) => ({
      tab: cell.closest("article [data-fw]")?.dataset.fw ?? null,
      source: cell.querySelector(":scope > .cell_input pre")?.textContent ?? "",
      outputs: all(":scope > .cell_output > *", cell).map(output),
      note: cell.querySelector(":scope > .cell-note")?.textContent.trim() ?? "",
    })),
    links: all("a[href]").map((link) => link.href),
    ids: all("[id]").map((node) => node.id),
    bare: all(".math").filter((one) => !one.querySelector("mjx-container"))
      .map((one) => one.textContent),
    // MathJax reports what it cannot read, and shows a macro that it does not know in red
    broken: all('[data-mjx-error], mjx-container [fill="red"]').map(
      (one) => `${one.dataset.mjxError ?? "unknown macro"} in ${
        one.closest("mjx-container").parentElement.closest("[id]").id}`),
  };
}'''
# What is to the right of the window, and in no box that scrolls: one cannot read it.
BEYOND = '''() => {
  const limit = document.documentElement.clientWidth + 1;
  const reached = (node) => {
    for (let at = node; at !== document.body; at = at.parentElement) {
      const { overflowX, position } = getComputedStyle(at);
      if (position === "fixed" || at !== node && /auto|scroll/.test(overflowX)) return true;
    }
    return false;
  };
  const wide = [...document.body.querySelectorAll("*")].map(
    (node) => [node.getBoundingClientRect().right, node]).filter(
    ([right, node]) => right > limit && !reached(node)).sort((a, b) => b[0] - a[0]);
  const sideways = document.scrollingElement.scrollWidth >= limit;
  const [right, node] = wide[0] ?? [document.scrollingElement.scrollWidth, document.body];
  return wide.length || sideways ? `${right} px: ${node.outerHTML.slice(0, 160)}` : null;
}'''


def page_names(site):
    """All pages, without suffix."""
    return sorted(path.relative_to(site).with_suffix('').as_posix()
                  for path in site.rglob('*.html') if path.relative_to(site).parts[0][0] != '_')


def chapters(site):
    """The chapters that have a page, as the book orders them."""
    return [name for name in chapter.names() if (site / f'{name}.html').is_file()]


@dataclass
class Visit:
    """What one page showed.

    Args:
        elsewhere: addresses on other hosts that it asked for; none was answered.
        errors: of its scripts, and files that are missing.
        wide: what the window cuts off: (width, framework, element).
        seen: what READ returns.
        violations: what axe-core objects to, by what it looked at.
    """
    elsewhere: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    wide: list = field(default_factory=list)
    seen: SimpleNamespace = None
    violations: dict = field(default_factory=dict)


class Reader:
    """Visits pages.

    Args:
        browser: of playwright.
        address: of the book, without last slash.
    """

    def __init__(self, browser, address):
        self.browser, self.address = browser, address
        self.visits, self.now = {}, Visit()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if 'page' in self.__dict__:
            self.page.context.close()

    @cached_property
    def page(self):
        context = self.browser.new_context(viewport={'width': DESKTOP, 'height': HEIGHT})
        context.route(lambda url: not url.startswith(f'{self.address}/'), self.refuse)
        page = context.new_page()
        page.on('pageerror', lambda error: self.now.errors.append(str(error)))
        page.on('console', self.listen)
        page.on('response', self.answered)
        return page

    def refuse(self, route):
        self.now.elsewhere.append(route.request.url)
        route.abort()

    def listen(self, message):
        if message.type in ('error', 'warning'):
            self.now.errors.append(message.text)

    def answered(self, response):
        if response.status >= 400:
            self.now.errors.append(f'{response.status} {response.url}')

    def open(self, name):
        """Show a page, with all formulas set and all that is folded open."""
        self.page.goto(f'{self.address}/{name}.html')
        self.page.evaluate(TYPESET)
        self.page.evaluate(UNFOLD)
        return self.page

    def visit(self, name):
        """What a page shows; it is opened the first time only."""
        if name not in self.visits:
            self.now = Visit()
            page = self.open(name)
            self.now.seen = SimpleNamespace(**page.evaluate(READ))
            self.measure(page)
            self.examine(page)
            self.visits[name] = self.now
        return self.visits[name]

    def measure(self, page):
        """Choose each framework at both widths, and see what is cut off."""
        for width in (DESKTOP, PHONE):
            page.set_viewport_size({'width': width, 'height': HEIGHT})
            for tab in TABS:
                page.evaluate(CHOOSE, tab)
                beyond = page.evaluate(BEYOND)
                if beyond:
                    self.now.wide.append((width, tab, beyond))

    def examine(self, page):
        """Ask axe-core."""
        axe, found = Axe(page), self.now.violations
        found['phone'] = axe.others()
        page.set_viewport_size({'width': DESKTOP, 'height': HEIGHT})
        found['desktop'], found['dark'] = axe.others(), axe.colors('dark')
        found['light'] = axe.colors('light')
