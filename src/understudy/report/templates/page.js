"use strict";
(function () {
  var root = document.documentElement;
  root.classList.add("live");

  // Light and dark: the reader's own choice until the button is pressed.
  var toggle = document.getElementById("theme");
  function dark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  toggle.hidden = false;
  toggle.addEventListener("click", function () {
    root.dataset.theme = dark() ? "light" : "dark";
    toggle.setAttribute("aria-pressed", String(dark()));
  });
  toggle.setAttribute("aria-pressed", String(dark()));

  // Sections become tabs.
  var list = document.getElementById("tabs");
  var tabs = Array.from(list.querySelectorAll("a"));
  var panels = tabs.map(function (tab) { return document.getElementById(tab.getAttribute("href").slice(1)); });
  list.setAttribute("role", "tablist");
  tabs.forEach(function (tab, at) {
    tab.parentNode.setAttribute("role", "presentation");
    tab.setAttribute("role", "tab");
    tab.id = "tab-" + panels[at].id;
    tab.setAttribute("aria-controls", panels[at].id);
    panels[at].setAttribute("role", "tabpanel");
    panels[at].setAttribute("aria-labelledby", tab.id);
    panels[at].tabIndex = 0;
  });
  function open(chosen, focus) {
    tabs.forEach(function (tab, at) {
      var on = at === chosen;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      panels[at].hidden = !on;
    });
    if (focus) { tabs[chosen].focus(); }
    // Only the list itself scrolls, never the page.
    var tab = tabs[chosen];
    list.scrollLeft = tab.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
  }
  list.addEventListener("click", function (event) {
    var at = tabs.indexOf(event.target.closest("a"));
    if (at < 0) { return; }
    event.preventDefault();
    open(at, true);
  });
  list.addEventListener("keydown", function (event) {
    var at = tabs.indexOf(document.activeElement);
    if (at < 0) { return; }
    var to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) { return; }
    event.preventDefault();
    open((to + tabs.length) % tabs.length, true);
  });
  open(Math.max(0, panels.findIndex(function (panel) { return "#" + panel.id === location.hash; })), false);

  // What a mark means, for the pointer and for the keyboard.
  var tip = document.getElementById("tip");
  var marked = null;
  function tell(mark) {
    if (marked) { marked.classList.remove("on"); }
    marked = mark;
    tip.hidden = !mark;
    if (!mark) { return; }
    mark.classList.add("on");
    tip.textContent = mark.getAttribute("data-tip");
    var place = mark.getBoundingClientRect();
    var left = place.left + place.width / 2 - tip.offsetWidth / 2;
    var above = place.top - tip.offsetHeight - 8;
    tip.style.left = Math.max(8, Math.min(left, root.clientWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = (above < 8 ? place.bottom + 8 : above) + "px";
  }
  document.addEventListener("pointerover", function (event) {
    var mark = event.target.closest ? event.target.closest("[data-tip]") : null;
    if (mark !== marked) { tell(mark); }
  });
  document.addEventListener("scroll", function () { tell(null); }, { passive: true, capture: true });
  Array.from(document.querySelectorAll("svg.plot")).forEach(function (plot) {
    var title = plot.querySelector("title");
    var desc = plot.querySelector("desc");
    plot.setAttribute("aria-label", title.textContent + (desc ? ". " + desc.textContent : ""));
    title.remove(); // the browser's own tooltip would cover ours
    var marks = Array.from(plot.querySelectorAll("[data-tip]"));
    if (!marks.length) { return; }
    plot.setAttribute("tabindex", "0");
    plot.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") { tell(null); }
      if (!step) { return; }
      event.preventDefault();
      var at = marks.indexOf(marked);
      tell(marks[at < 0 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length]);
    });
    plot.addEventListener("blur", function () { tell(null); });
  });
  root.dataset.ready = "yes";
})();
