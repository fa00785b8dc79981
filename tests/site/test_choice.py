"""A framework that was chosen stays chosen on the way through the book."""
from d2lrnn import BACKENDS

SHOWN = '''() => {
  const panels = [...document.querySelectorAll("article .sd-tab-content[data-fw]")];
  const chosen = document.querySelectorAll(".fw-radio:checked");
  return [document.documentElement.dataset.fw,
          ...panels.filter((one) => one.checkVisibility()).map((one) => one.dataset.fw),
          ...[...chosen].map((one) => one.value)];
}'''


def test_a_way_through_the_book(browser, address):
    first, second, *_, last = [row.tab for row in BACKENDS]
    context = browser.new_context()
    page = context.new_page()

    def check(tab):
        shown = page.evaluate(SHOWN)
        # a set of tabs without this framework shows another; all others follow the choice
        assert shown[0] == tab and shown.count(tab) > len(shown) * .8, (page.url, shown)

    page.goto(f'{address}/index.html')
    check(first)
    page.goto(f'{address}/index.html?fw={last}')
    check(last)
    page.locator('.next-page').click()
    page.wait_for_url(lambda url: not url.endswith('index.html'))
    check(last)
    page.locator('article .sd-tab-set .fw-radio:checked').first.focus()
    page.keyboard.press('ArrowRight')
    check(first)
    page.keyboard.press('ArrowRight')
    check(second)
    page.reload()
    check(second)
    page.locator(f'article .sd-tab-set label[data-sync-id={last}]').first.click()
    check(last)
    page.go_back()
    check(last)
    page = context.new_page()
    page.goto(f'{address}/deep-rnn.html')
    check(last)
    context.close()
