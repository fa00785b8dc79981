"""Choosing a framework, in a browser."""
import pytest

from tests.tools.reader import TABS, VISIBLE, address, label, place, shown, side, top, visit

__all__ = ['address', 'visit']  # fixtures


def test_first_framework_without_a_choice_and_click(visit):
    page = visit()
    assert shown(page) == TABS[0]
    label(page, 'jax', 1).click()
    assert shown(page) == 'jax'
    side(page, 'mxnet').click()
    assert shown(page) == 'mxnet'


def test_choice_holds_on_the_next_page_after_reload_and_on_the_next_visit(visit):
    page = visit('first.html')
    label(page, 'tensorflow').click()
    page.locator('.next-page').click()
    page.wait_for_url('**/second.html')
    assert page.title().startswith('2. Second chapter') and shown(page) == 'tensorflow'
    page.reload()
    assert shown(page) == 'tensorflow'
    label(page, 'jax').click()
    page.go_back()
    assert shown(page) == 'jax'
    assert shown(visit(context=page.context)) == 'jax'


def test_two_windows_stay_in_step(visit):
    page = visit()
    other = visit('first.html', context=page.context)
    label(other, 'jax').click()
    page.wait_for_function('document.documentElement.dataset.fw === "jax"')
    assert shown(page) == 'jax'


def test_link_that_names_a_framework(visit):
    page = visit('second.html?fw=jax')
    assert shown(page) == 'jax'
    page.locator('.prev-page').click()
    page.wait_for_url('**/first.html')
    assert shown(page) == 'jax'
    page = visit('second.html?fw=keras', context=page.context)
    assert shown(page) == 'jax'
    page = visit('second.html?fw=mxnet', context=page.context)
    label(page, 'tensorflow').click()
    page.reload()
    assert shown(page) == 'tensorflow' and page.url.endswith('?fw=tensorflow')
    assert shown(visit('second.html?fw=Torch', context=page.context)) == TABS[0]


def test_going_back_keeps_what_was_chosen_since(visit):
    page = visit('second.html?fw=jax')
    page.goto(page.url.replace('second.html?fw=jax', 'first.html'))
    label(page, 'mxnet').click()
    page.go_back()
    assert page.url.endswith('?fw=jax') and shown(page) == 'mxnet'
    page.reload()
    assert shown(page) == 'mxnet'


def test_storage_that_is_blocked(visit):
    page = visit('first.html')
    page.context.add_init_script('Object.defineProperty(window, "localStorage", {get() {'
                                 'throw new DOMException("no", "SecurityError"); }})')
    page.route('**/second.html', lambda route: route.fulfill(
        body=route.fetch().text().replace('document.body.dataset.theme = localStorage', '0 && 0')))
    page.goto(page.url.replace('first', 'second') + '?fw=jax')
    assert shown(page) == 'jax'
    assert not [fault for fault in visit.faults if 'choice.js' in fault or 'reveal.js' in fault]
    visit.faults.clear()  # the theme's and Sphinx's own scripts


def test_keyboard(visit):
    page = visit()
    group = page.get_by_role('radiogroup', name='Framework')
    assert group.count() == page.locator('.sd-tab-set').count() + 1  # and the side bar's
    page.locator('.sd-tab-set .fw-radio').first.focus()
    page.keyboard.press('ArrowRight')
    page.keyboard.press('ArrowRight')
    assert shown(page) == 'jax'
    focused = 'document.activeElement.value + document.activeElement.name'
    assert page.evaluate(focused) == 'jaxfw-0'
    assert label(page, 'jax').evaluate('one => getComputedStyle(one).outlineStyle') == 'solid'
    page.keyboard.press('ArrowLeft')
    assert page.evaluate(focused) == 'tensorflowfw-0' and shown(page) == 'tensorflow'
    page.keyboard.press('Tab')
    assert not page.evaluate('document.activeElement.closest(".fw-bar")')
    page.keyboard.press('Shift+Tab')
    assert page.evaluate(focused) == 'tensorflowfw-0'


def test_tab_stays_where_it_is(visit):
    page = visit()
    for tab in ('jax', 'tensorflow', 'mxnet', 'pytorch'):
        one = label(page, tab, -1)
        place(one, 300)
        one.click()
        assert shown(page) == tab and top(one) == pytest.approx(300, abs=2)
        page.wait_for_timeout(50)
        assert top(one) == pytest.approx(300, abs=2)


def test_paragraph_stays_where_it_is_when_the_side_bar_switches(visit):
    page = visit()
    end = page.locator('h2', has_text='The end')
    for tab in ('mxnet', 'pytorch'):
        place(end, 5)
        side(page, tab).click()
        page.wait_for_timeout(50)
        assert shown(page) == tab and top(end) == pytest.approx(5, abs=2)


def test_tab_set_that_fills_the_window_stays_in_it(visit):
    page = visit()
    last = page.locator('.sd-tab-set').last
    place(last, -900)
    side(page, 'mxnet').click()  # a fourth of PyTorch's lines
    page.wait_for_timeout(50)
    assert top(last) == pytest.approx(0, abs=2)


def test_nothing_of_another_framework_is_painted(visit):
    page = visit('index.html?fw=jax')
    page.context.add_init_script(f'''window.frames_seen = [];
        const look = () => {{ frames_seen.push(({VISIBLE})()); requestAnimationFrame(look); }};
        requestAnimationFrame(look);''')

    def late(route):
        page.wait_for_timeout(300)
        route.continue_()
    page.route('**/reveal.js*', late)
    page.goto(page.url.replace('index', 'first'))
    frames = page.evaluate('frames_seen')
    assert len([frame for frame in frames if 'jax' in frame]) > 2
    last = frames[-1]
    assert all(frame == last[:len(frame)] for frame in frames)
