"""A real browser opens the pages: quiet, drawn, tabs and hovers at work, no wider than a phone."""

import pytest

from report import dossiers
from report.browser import Browser, binary
from report.hostile import PAYLOADS, named
from understudy.report.page import page

pytestmark = pytest.mark.skipif(
    binary() is None, reason="no chromium on this machine: install Debian's chromium package"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "share": dossiers.dossier(confidential=False),
        "internal": dossiers.dossier(dossiers.refused()),
        "several": dossiers.dossier(dossiers.candidate(), dossiers.refused(), dossiers.undecided()),
    }
    for name, dossier in made.items():
        (folder / f"{name}.html").write_text(page(dossier), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["share", "internal", "several"])
def test_a_page_loads_nothing_says_nothing_and_draws_every_picture(browser, pages, name):
    browser.open(pages / f"{name}.html")
    assert browser.ask("document.documentElement.dataset.ready") == "yes"
    flat = browser.ask(
        "Array.from(document.querySelectorAll('main > section')).flatMap(s => { s.hidden = false; "
        "return Array.from(s.querySelectorAll('svg')).filter(g => !g.getBoundingClientRect().height "
        "|| !g.querySelector('path,rect,circle')).map(g => g.getAttribute('aria-label')) })"
    )
    assert flat == []
    assert browser.troubles() == []
    assert set(browser.requests()) <= {
        (pages / f"{each}.html").as_uri() for each in ("share", "internal", "several")
    }


@pytest.mark.parametrize("name", ["share", "internal", "several"])
def test_no_section_is_wider_than_a_phone(browser, pages, name):
    browser.open(pages / f"{name}.html", width=380)
    wide = browser.ask(
        "Array.from(document.querySelectorAll('#tabs a')).map(tab => { tab.click(); "
        "return document.documentElement.scrollWidth })"
    )
    assert max(wide) <= 380


def test_on_a_phone_no_answer_to_nist_is_cut(browser, pages):
    browser.open(pages / "share.html", width=390)
    cut = "(e => e.scrollWidth - e.clientWidth)(document.querySelector('.stack'))"
    assert browser.ask(cut) == 0
    browser.ask("document.querySelector('.stack').classList.remove('stack')")
    assert browser.ask("(e => e.scrollWidth - e.clientWidth)(document.querySelector('.box'))") > 0


def test_the_words_of_the_forests_legend_end_before_the_next_mark(browser, pages):
    browser.open(pages / "share.html")
    browser.ask("document.querySelector('a[href=\"#risks\"]').click()")
    gaps = browser.ask(
        "(groups => groups.slice(1).map((g, at) => g.getBoundingClientRect().left "
        "- groups[at].getBoundingClientRect().right))"
        "(Array.from(document.querySelector('#risks svg').querySelectorAll('g[transform]')))"
    )
    assert len(gaps) == 4 and min(gaps) > 2


def test_tabs_answer_to_clicks_and_arrow_keys(browser, pages):
    shown = (
        "Array.from(document.querySelectorAll('main > section')).filter(s => !s.hidden).map(s => s.id).join()"
    )
    browser.open(pages / "share.html")
    assert browser.ask(shown) == "overview"
    browser.ask("document.querySelector('a[href=\"#risks\"]').click()")
    assert browser.ask(shown) == "risks"
    for key, expected in (
        ("ArrowRight", "fidelity"),
        ("ArrowLeft", "risks"),
        ("End", "sign-off"),
        ("ArrowRight", "overview"),
    ):
        browser.press(key)
        assert browser.ask(shown) == expected
    assert browser.ask("document.activeElement.getAttribute('aria-selected')") == "true"


def test_a_mark_tells_what_it_means_to_the_pointer_and_to_the_keyboard(browser, pages):
    browser.open(pages / "share.html")
    browser.ask("document.querySelector('a[href=\"#risks\"]').click(); window.scrollTo(0, 0)")
    place = browser.ask(
        "(r => [r.left + r.width / 2, r.top + r.height / 2])"
        "(document.querySelector('#risks .dot').getBoundingClientRect())"
    )
    browser.point(*place)
    assert "chance gives" in browser.ask("document.getElementById('tip').textContent")
    assert browser.ask("document.getElementById('tip').hidden") is False
    browser.point(1, 1)
    # Scrolling takes a tip away, and focus may scroll a little later: the next key would begin anew.
    browser.ask("document.querySelector('#risks svg').focus({ preventScroll: true })")
    browser.press("ArrowDown")
    first = browser.ask("document.getElementById('tip').textContent")
    browser.press("ArrowDown")
    assert browser.ask("document.getElementById('tip').textContent") != first
    browser.press("Escape")
    assert browser.ask("document.getElementById('tip').hidden") is True


def test_the_button_turns_light_into_dark(browser, pages):
    colour = "getComputedStyle(document.body).backgroundColor"
    browser.open(pages / "share.html", scheme="light")
    light = browser.ask(colour)
    browser.ask("document.getElementById('theme').click()")
    dark = browser.ask(colour)
    assert dark != light
    browser.open(pages / "share.html", scheme="dark")
    assert browser.ask(colour) == dark


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_the_contrast_of_wcag_aa(browser, pages, scheme):
    browser.open(pages / "several.html", scheme=scheme)
    assert browser.ask(CONTRAST) == []


def test_a_text_that_is_too_pale_would_be_seen(browser, pages):
    browser.open(pages / "share.html", scheme="light")
    browser.ask("document.querySelector('.kind').style.color = '#999999'")
    assert len(browser.ask(CONTRAST)) == 1


def test_hostile_names_open_no_dialog_and_run_no_script(browser, tmp_path):
    for at in range(0, len(PAYLOADS), 30):
        word = " ".join(PAYLOADS[at : at + 30])
        path = tmp_path / f"{at}.html"
        path.write_text(page(named(word, confidential=True, candidates=1 + at % 2)), encoding="utf-8")
        browser.open(path)
        assert browser.ask("document.querySelectorAll('script').length") == 1
        assert (
            browser.ask(
                "document.querySelectorAll('img, iframe, b, form, object, base, a[href^=javascript]').length"
            )
            == 0
        )
    assert browser.troubles() == []


# Every text that is seen, with the first background behind it that is not transparent.
CONTRAST = """
(() => {
  const parts = c => { const m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
  const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = c => {
    const [r, g, b] = parts(c).slice(0, 3).map(v => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (parts(c)[3] === 1) return c;
    }
    return 'rgb(255, 255, 255)';
  };
  const bad = new Set();
  document.querySelectorAll('main > section').forEach(s => { s.hidden = false; });
  document.querySelectorAll('body *').forEach(e => {
    if (!Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim())) return;
    if (e.closest('style, script, [hidden], title, desc') || !e.getClientRects().length) return;
    const svg = e instanceof SVGElement, style = getComputedStyle(e), cell = e.classList.contains('cell');
    const over = svg && cell ? getComputedStyle(e.previousElementSibling).fill : behind(e);
    const [a, b] = [light(svg ? style.fill : style.color), light(over)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) bad.add(`${e.tagName} ${e.getAttribute('class')} ${ratio.toFixed(2)}`);
  });
  return Array.from(bad);
})()
"""
