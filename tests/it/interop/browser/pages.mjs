// Every page of every report: opens from disk without a complaint, fits its window, is reached by keyboard, has its
// headings in order and its controls named, and shows the numbers of summary.json.

import { check, fail, main, open, sectionsOf, settled, shoot, show, summaryOf, until } from "./common.mjs";

const NAMED = new Set([
  "button", "link", "textbox", "searchbox", "checkbox", "combobox", "slider", "radio", "tab", "spinbutton", "switch", "menuitem",
  "image", "img", "graphics-document", "Canvas", "canvas", "listbox", "option", "table", "grid", "DisclosureTriangle",
]);

// What shown units mean, of a number in the unit of its key.
const UNITS = {
  "": [1], ns: [1], "µs": [1e3, 1e-3], ms: [1e6, 1], s: [1e9, 1e3], "%": [0.01, 1], "b/s": [1], "kb/s": [1e3], "Mb/s": [1e6], "Gb/s": [1e9],
  B: [1], kB: [1e3], MB: [1e6], GB: [1e9],
};

async function look(browser, report, size, theme) {
  const { page, where, close } = await open(browser, report, { size, theme });
  const sections = await sectionsOf(page);
  check(sections[0] === "summary", where, `the first page is ${sections[0]}`);
  if (size === "wide" && theme === "light") await byKeyboard(page, sections, where);
  for (const id of sections) {
    await show(page, id);
    const here = `${where}, ${id}`;
    await fits(page, here);
    const shown = await page.$$eval("section[data-section]", (all) => all.filter((one) => one.offsetParent !== null).map((one) => one.id));
    check(shown.join() === id, here, `shows ${shown.join() || "nothing"}`);
    if (theme === "light") {
      await headings(page, here);
      await names(page, here);
      await values(page, id, report, here);
    }
    await shoot(page, `${report.name}-${id}-${size}-${theme}`);
  }
  await close();
}

// Tab leads over the links of the navigation in their order, and Enter opens what they name.
async function byKeyboard(page, sections, where) {
  const reached = [];
  for (let nth = 0; nth < sections.length + 6; nth++) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.closest(".top nav a")?.getAttribute("href")));
  }
  const links = reached.filter((href) => href?.startsWith("#") && sections.includes(href.slice(1)));
  check(links.join() === sections.map((id) => `#${id}`).join(), where, `Tab reaches ${links.join()} of ${sections.join()}`);
  for (const id of [...sections].reverse()) {
    await page.focus(`.top nav a[href="#${id}"]`);
    const outlined = await page.evaluate(() => {
      const style = getComputedStyle(document.activeElement);
      return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none";
    });
    check(outlined, where, `the focus on the link to ${id} cannot be seen`);
    await page.keyboard.press("Enter");
    await until(page, `${where}: Enter does not open ${id}`, (id) => document.getElementById(id).classList.contains("shown"), id);
    await settled(page);
    const inside = await page.evaluate((id) => document.activeElement.closest("section")?.id === id, id);
    check(inside, where, `opening ${id} leaves the focus elsewhere`);
  }
}

async function fits(page, where) {
  const cut = await page.$$eval("section.shown .chart svg", (all) => all.map((one) => one.getBoundingClientRect())
    .filter((box) => box.width > 0 && (box.left < -1 || box.right > innerWidth + 1)).length);
  check(cut === 0, where, `${cut} charts are cut`);
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  if (wide <= window) return;
  const widest = await page.evaluate(() => {
    const beyond = [...document.querySelectorAll("section.shown *, header *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
    return beyond.slice(0, 3).map((one) => `${one.tagName}.${one.className?.baseVal ?? one.className}`).join(", ");
  });
  fail(where, `is ${wide} wide in a window of ${window}: ${widest}`);
}

// One first heading, and no level left out on the way down.
async function headings(page, where) {
  const levels = await page.$$eval("h1, h2, h3, h4, h5, h6", (all) => all
    .filter((one) => one.offsetParent !== null || one.classList.contains("hidden-text"))
    .map((one) => ({ level: Number(one.tagName[1]), text: one.textContent.trim() })));
  check(levels.length > 0, where, "has no heading");
  check(levels[0]?.level === 1, where, `begins with a heading of level ${levels[0]?.level}`);
  check(levels.filter(({ level }) => level === 1).length === 1, where, "has not one first heading");
  for (let nth = 1; nth < levels.length; nth++) {
    check(levels[nth].level <= levels[nth - 1].level + 1, where, `jumps from "${levels[nth - 1].text}" to "${levels[nth].text}"`);
  }
  for (const { text } of levels) check(text !== "", where, "has an empty heading");
}

// As a screen reader has it: what can be used, and what is a picture, has a name.
async function names(page, where) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  for (const node of nodes) {
    if (node.ignored || !NAMED.has(node.role?.value)) continue;
    const name = node.name?.value?.trim() ?? "";
    if (name === "") {
      const { object } = await session.send("DOM.resolveNode", { backendNodeId: node.backendDOMNodeId }).catch(() => ({}));
      const { result } = object ? await session.send("Runtime.callFunctionOn", {
        objectId: object.objectId, functionDeclaration: "function () { return this.outerHTML?.slice(0, 120) ?? this.nodeName; }", returnByValue: true,
      }) : { result: { value: "?" } };
      fail(where, `a ${node.role.value} has no name: ${result.value}`);
    }
  }
  const roles = new Set(nodes.filter((node) => !node.ignored).map((node) => node.role?.value));
  for (const landmark of ["main", "navigation", "banner"]) check(roles.has(landmark), where, `has no landmark ${landmark}`);
  await session.detach();
}

// What is shown is what summary.json says: exactly beside it, and in its text as far as it is rounded.
async function values(page, id, report, where) {
  const summary = summaryOf(report);
  const shown = await page.$$eval(`#${id} [data-path]`, (all) => all.map((one) => ({ ...one.dataset, text: one.textContent })));
  if (id === "summary") check(shown.length > 2 || report.few, where, "shows hardly a number of summary.json");
  for (const { path, value, text } of shown) {
    const told = at(summary, path);
    if (!check(told !== undefined, where, `summary.json has no ${path}`)) continue;
    const isText = typeof told === "string";
    const same = isText ? value === told : equal(JSON.parse(value), told);
    check(same, where, `${path} is ${value}, and ${JSON.stringify(told)} in summary.json`);
    if (typeof told === "number") check(means(text, told), where, `${path} is ${told}, and shown as ${text}`);
    // A long text is shortened in the middle or at its end.
    const [begins, ...rest] = text.split("…");
    const isCut = rest.length > 0 && told.length > 100 && told.startsWith?.(begins.trimEnd());
    if (isText) check(text === told || isCut, where, `${path} is "${told}", and shown as "${text}"`);
  }
}

// Whether a text, rounded and with a unit, means this number.
function means(text, number) {
  const found = /^([\d.e+∞-]+) ?(\S*)$/.exec(text.replaceAll("\u202f", "").replaceAll("\u00a0", " ").replace("−", "-"));
  if (found === null || !(found[2] in UNITS)) return false;
  return UNITS[found[2]].some((scale) => Math.abs(Number(found[1]) * scale - number) <= 6e-3 * Math.abs(number));
}

function equal(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

// A path's value: keys joined by dots; a dot or a backslash of a key has a backslash before it.
function at(value, path) {
  const keys = [""];
  for (let nth = 0; nth < path.length; nth++) {
    if (path[nth] === ".") keys.push("");
    else keys[keys.length - 1] += path[nth] === "\\" ? path[++nth] : path[nth];
  }
  return keys.reduce((value, key) => value?.[key], value);
}

// Without scripts all sections stand one below the other, and say what is in them.
async function withoutScripts(browser, report) {
  const { page, where, close } = await open(browser, report, { scripts: false });
  const heights = await page.$$eval("section[data-section]", (all) => all.map((one) => [one.id, one.offsetHeight]));
  for (const [id, height] of heights) check(height > 40, `${where} without scripts`, `${id} is not shown`);
  await fits(page, `${where} without scripts`);
  await close();
}

await main(async (browser, report) => {
  for (const [size, theme] of report.looks) await look(browser, report, size, theme);
  await withoutScripts(browser, report);
});
