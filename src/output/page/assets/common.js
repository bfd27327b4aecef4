"use strict";
/* What all sections use. Nothing here or in a section makes markup from text: text from data goes through textContent.
 *
 *   simnet.data                          the data of the report, by section
 *   simnet.section(id, (root, data) =>)  runs the function once, when the section is first shown (or printed)
 *   simnet.el(tag, attributes, ...children)   makes an element; attributes may hold `class`, `style`, `on` + event
 *                                        (a function), true and false; null and false are left out; children are
 *                                        elements, texts and lists of them. `svg:line` makes an SVG element.
 *   simnet.number(x, digits = 4)         a number for people
 *   simnet.time(ns)                      a time for people
 *   simnet.tooltip(element, text or fn)  what an element says on hover, focus and tap
 *   simnet.explained(text)               a text whose words of the glossary explain themselves: texts and elements
 *   simnet.tip(x, y, text), simnet.tip() shows a tooltip at a place of the window (for canvas), and hides it
 *   simnet.theme()                       "light" or "dark"; when it changes, the document gets an event `simnet:theme`
 *   simnet.colour(name)                  the value of a colour at this moment: simnet.colour("--c1")
 *   simnet.still()                       whether motion is not wanted
 *   simnet.go(hash)                      shows a place of the report: "curves", "replay/point=2"
 */
const simnet = (() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const data = JSON.parse(document.getElementById("data").textContent);
  const waiting = new Map(); // section id -> functions that were not run yet
  const seen = new Set(); // sections that were shown

  // --- elements ---------------------------------------------------------------------------------------------------

  function el(tag, attributes, ...children) {
    const made = tag.startsWith("svg:")
      ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (value === null || value === undefined || value === false) continue;
      if (typeof value === "function") made.addEventListener(name.replace(/^on/, ""), value);
      else made.setAttribute(name, value === true ? "" : String(value));
    }
    made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return made;
  }

  // --- numbers: the same words as src/numbers.rs ------------------------------------------------------------------

  function number(x, digits = 4) {
    if (x === null || x === undefined || Number.isNaN(x)) return "no number";
    if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
    const size = Math.abs(x);
    if (size >= 1e15 || (size > 0 && size < 1e-4)) {
      const [mantissa, exponent] = x.toExponential(Math.max(0, digits - 1)).split("e");
      return signed(trimmed(mantissa) + "e" + exponent.replace("+", ""));
    }
    let decimals = 0;
    if (!Number.isInteger(x)) {
      decimals = Math.min(12, Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
    }
    return signed(grouped(trimmed(x.toFixed(decimals))));
  }

  function trimmed(text) {
    return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  }

  function grouped(text) {
    const [, sign, whole, rest] = text.match(/^(-?)(\d+)(.*)$/);
    return whole.length <= 4 ? text : sign + whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") + rest;
  }

  function signed(text) {
    return text.replace(/^-/, "−");
  }

  function time(ns) {
    const size = Math.abs(ns);
    const [unit, scale] = size < 1e3 ? ["ns", 1] : size < 1e6 ? ["µs", 1e3] : size < 1e9 ? ["ms", 1e6] : ["s", 1e9];
    return number(Number((ns / scale).toPrecision(4)), 4) + " " + unit;
  }

  // --- the tooltip --------------------------------------------------------------------------------------------------

  const box = el("div", { id: "tooltip", role: "tooltip", hidden: true });
  document.body.append(box);
  let owner = null; // the element whose tooltip is shown

  function tip(x, y, text) {
    if (text === undefined || text === null || text === "") {
      box.hidden = true;
      owner = null;
      return;
    }
    box.textContent = text;
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const left = Math.min(Math.max(8, x - width / 2), Math.max(8, innerWidth - width - 8));
    const above = y - height - 12;
    box.style.left = left + "px";
    box.style.top = (above > 8 ? above : Math.min(y + 18, innerHeight - height - 8)) + "px";
  }

  function tooltip(element, text) {
    const show = () => {
      const place = element.getBoundingClientRect();
      tip(place.left + place.width / 2, place.top, typeof text === "function" ? text(element) : text);
      owner = element;
      element.setAttribute("aria-describedby", "tooltip");
    };
    const hide = () => {
      element.removeAttribute("aria-describedby");
      if (owner === element) tip();
    };
    element.addEventListener("pointerenter", show);
    element.addEventListener("pointerleave", hide);
    element.addEventListener("focus", show);
    element.addEventListener("blur", hide);
    element.addEventListener("click", show);
  }

  // --- the words of the field ---------------------------------------------------------------------------------------

  const words = [...document.querySelectorAll("#words dt")].flatMap((word) =>
    word.dataset.forms.split("|").map((form) => [form, word.nextElementSibling.textContent]));

  // A title of its own would lie over the tooltip, and nobody gets at it by keyboard or by hand.
  function explains(word, meaning) {
    word.removeAttribute("title");
    tooltip(word, meaning);
    return word;
  }

  function explained(text) {
    const [form, meaning] = words.find(([form]) => new RegExp(`\\b${form}\\b`).test(text)) ?? [];
    if (form === undefined) return [text];
    const at = text.search(new RegExp(`\\b${form}\\b`));
    return [text.slice(0, at), explains(el("abbr", { class: "word", tabindex: "0" }, form), meaning), text.slice(at + form.length)];
  }

  for (const word of document.querySelectorAll("abbr.word")) explains(word, word.title);

  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !box.hidden) tip();
  });
  addEventListener("pointerdown", (event) => {
    if (owner !== null && !owner.contains(event.target)) tip();
  });
  addEventListener("scroll", () => tip(), { passive: true });

  // --- light and dark -----------------------------------------------------------------------------------------------

  function theme() {
    return root.dataset.theme ?? (dark.matches ? "dark" : "light");
  }

  function themeChanged() {
    const button = document.getElementById("theme");
    button.hidden = false;
    button.textContent = theme() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Show in ${theme() === "dark" ? "light" : "dark"} colours`);
    document.dispatchEvent(new CustomEvent("simnet:theme", { detail: theme() }));
  }

  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("simnet-theme", root.dataset.theme);
    } catch { /* a file opened from disk may have no storage */ }
    themeChanged();
  });
  dark.addEventListener("change", themeChanged);

  function colour(name) {
    return getComputedStyle(root).getPropertyValue(name).trim();
  }

  // --- sections -----------------------------------------------------------------------------------------------------

  const sections = [...document.querySelectorAll("section.page")];
  const links = [...document.querySelectorAll(".top nav a")];

  function section(id, run) {
    if (!waiting.has(id)) waiting.set(id, []);
    waiting.get(id).push(run);
    if (seen.has(id)) start(id);
  }

  function start(id) {
    const runs = waiting.get(id) ?? [];
    waiting.delete(id);
    const element = document.getElementById(id);
    for (const run of runs) {
      try {
        run(element, data[id]);
      } catch (error) {
        console.error(error);
        element.append(el("p", { class: "notice bad", role: "alert" }, `Part of this could not be drawn: ${error.message}`));
      }
    }
  }

  // The section and the place in it that a hash names: an element of the page, or "section/anything".
  function found(hash) {
    const element = hash === "" ? null : document.getElementById(hash);
    const inside = element?.closest("section.page");
    if (inside) return { shown: inside, place: element, detail: null };
    const [id, ...rest] = hash.split("/");
    const named = sections.find((one) => one.id === id);
    return named ? { shown: named, place: named, detail: rest.join("/") } : null;
  }

  function show(hash, moved) {
    if (hash === "main" && seen.size > 0) return document.getElementById("main").focus();
    const { shown, place, detail } = found(hash) ?? { shown: sections[0], place: sections[0], detail: null };
    for (const one of sections) one.classList.toggle("shown", one === shown);
    for (const link of links) {
      const current = link.getAttribute("href") === "#" + shown.id;
      if (current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      if (current) link.parentElement.parentElement.parentElement.scrollLeft = link.offsetLeft - 40;
    }
    tip();
    seen.add(shown.id);
    start(shown.id);
    if (detail) shown.dispatchEvent(new CustomEvent("simnet:go", { detail }));
    if (!moved) return;
    if (place === shown) {
      scrollTo({ top: 0, behavior: "instant" });
      shown.focus({ preventScroll: true });
    } else {
      if (place instanceof HTMLDetailsElement) place.open = true;
      place.scrollIntoView({ block: "start" });
      if (place.tabIndex < 0 && !place.hasAttribute("tabindex")) place.setAttribute("tabindex", "-1");
      place.focus({ preventScroll: true });
    }
  }

  function current() {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return location.hash.slice(1);
    }
  }

  function go(hash) {
    if (current() === hash) show(hash, true);
    else location.hash = "#" + encodeURI(hash);
  }

  addEventListener("hashchange", () => show(current(), true));
  addEventListener("beforeprint", () => sections.forEach((one) => {
    seen.add(one.id);
    start(one.id);
  }));
  // Sections' scripts stand behind this one: they are all there once the document is.
  document.addEventListener("DOMContentLoaded", () => {
    themeChanged();
    show(current(), current() !== "");
  });

  return { data, section, el, number, time, tooltip, explained, tip, theme, colour, still: () => still.matches, go };
})();
