"use strict";
// Tables that sort and filter. A table is made when it is opened; at most `pageRows` rows of it stand there at once.
simnet.section("tables", (root, data) => {
  const { el } = simnet;
  const LONGEST = 200; // characters of a cell that are shown; all of them stand in its title

  // --- what a filter means --------------------------------------------------------------------------------------------

  const COMPARED = {
    ">": (a, b) => a > b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
    "=": (a, b) => a === b, "!=": (a, b) => a !== b,
  };

  // The test of a filter, or null if it is none: a comparison with something else than a number.
  function test(text, numeric) {
    const wanted = text.trim();
    if (wanted === "") return () => true;
    const compared = wanted.match(/^(>=|<=|!=|>|<|=)\s*(.*)$/);
    if (compared && numeric) {
      const bound = parsed(compared[2]);
      const holds = COMPARED[compared[1]];
      return bound === null ? null : (cell) => cell !== "" && holds(Number(cell), bound);
    }
    const range = wanted.match(/^(.+?)\.\.(.+)$/);
    if (range && numeric) {
      const [low, high] = [parsed(range[1]), parsed(range[2])];
      return low === null || high === null ? null : (cell) => cell !== "" && Number(cell) >= low && Number(cell) <= high;
    }
    if (compared && compared[1] === "=") return (cell) => cell === compared[2];
    if (compared && compared[1] === "!=") return (cell) => cell !== compared[2];
    const lower = wanted.toLowerCase();
    return (cell) => String(cell).toLowerCase().includes(lower);
  }

  function parsed(text) {
    const number = Number(text.trim().replace(",", "."));
    return text.trim() === "" || Number.isNaN(number) ? null : number;
  }

  // --- one table --------------------------------------------------------------------------------------------------------

  function table(place, { caption, columns, rows, start }) {
    const state = { sort: start.sort, direction: start.sort === null ? 0 : -1, page: 0 };
    const decimals = columns.map((column, nth) => (column.numeric ? decimalsOf(rows, nth) : null));
    const tests = columns.map(() => () => true);
    let chosen = rows.map((_, nth) => nth); // the rows that pass all filters, in the order of the file
    let ordered = chosen; // the same as they are sorted

    const marks = columns.map(() => el("span", { class: "mark", "aria-hidden": "true" }));
    const heads = columns.map((column, nth) => el("th", { scope: "col", class: column.numeric ? "num" : null },
      el("button", { type: "button", click: () => sortBy(nth) },
        el("bdi", null, column.words), column.unit === "" ? null : el("small", null, " " + column.unit), marks[nth])));
    const fields = columns.map((column, nth) => el("input", {
      type: "search", "aria-label": `Filter ${column.words}: a text${column.numeric ? ", or as >0.5" : ""}`,
      placeholder: column.numeric ? ">" : "", autocomplete: "off", spellcheck: "false", input: () => filter(nth),
    }));
    const body = el("tbody");
    const status = el("span", { role: "status", class: "soft" });
    const back = el("button", { type: "button", click: () => turn(-1) }, "Previous rows");
    const on = el("button", { type: "button", click: () => turn(1) }, "Next rows");
    const clear = el("button", { type: "button", click: clearAll }, "Clear filters");
    const scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", null, el("caption", null, caption),
        el("thead", null, el("tr", null, heads), el("tr", null, fields.map((field) => el("td", null, field)))), body));
    place.replaceChildren(el("div", { class: "tools" }, status, clear, back, on), scroll);

    if (start.filter !== null) {
      fields[start.filter[0]].value = start.filter[1];
      filter(start.filter[0]);
    } else {
      choose();
    }

    function sortBy(nth) {
      const first = columns[nth].numeric ? -1 : 1; // of numbers one wants the greatest first
      if (state.sort !== nth) [state.sort, state.direction] = [nth, first];
      else if (state.direction === first) state.direction = -first;
      else [state.sort, state.direction] = [null, 0];
      state.page = 0;
      order();
    }

    function filter(nth) {
      const found = test(fields[nth].value, columns[nth].numeric);
      fields[nth].setAttribute("aria-invalid", String(found === null));
      if (found === null) return;
      tests[nth] = found;
      state.page = 0;
      choose();
    }

    function clearAll() {
      for (const [nth, field] of fields.entries()) {
        field.value = "";
        field.setAttribute("aria-invalid", "false");
        tests[nth] = () => true;
      }
      state.page = 0;
      choose();
    }

    function choose() {
      const active = columns.map((_, nth) => nth).filter((nth) => fields[nth].value.trim() !== "");
      chosen = [];
      for (let nth = 0; nth < rows.length; nth += 1) {
        if (active.every((column) => tests[column](rows[nth][column]))) chosen.push(nth);
      }
      clear.disabled = active.length === 0;
      order();
    }

    function order() {
      const { sort, direction } = state;
      ordered = chosen;
      if (sort !== null) {
        const compare = columns[sort].numeric ? byNumber : byText;
        // Empty cells stand at the end whichever way it is sorted; equal ones stay in the order of the file.
        ordered = chosen.slice().sort((a, b) => compare(rows[a][sort], rows[b][sort], direction) || a - b);
      }
      for (const [nth, head] of heads.entries()) {
        const here = nth === sort;
        marks[nth].textContent = here ? (direction > 0 ? "↑" : "↓") : "";
        if (here) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
        else head.removeAttribute("aria-sort");
      }
      draw();
    }

    function turn(by) {
      state.page += by;
      draw();
      scroll.scrollTop = 0;
    }

    function draw() {
      const pages = Math.max(1, Math.ceil(ordered.length / data.pageRows));
      state.page = Math.min(Math.max(0, state.page), pages - 1);
      const first = state.page * data.pageRows;
      const shown = ordered.slice(first, first + data.pageRows);
      body.replaceChildren(...shown.map((nth) => el("tr", null, rows[nth].map((cell, column) => drawn(cell, columns[column].numeric, decimals[column])))));
      const of = ordered.length === rows.length ? "" : ` (of ${simnet.number(rows.length)} without filters)`;
      status.textContent = ordered.length === 0
        ? `No row passes the filters${of}`
        : `Rows ${simnet.number(first + 1)} to ${simnet.number(first + shown.length)} of ${simnet.number(ordered.length)}${of}`;
      back.disabled = state.page === 0;
      on.disabled = state.page === pages - 1;
      back.hidden = on.hidden = pages === 1;
    }
  }

  // How many decimals all numbers of a column are shown with, so that they stand in line: five digits of the greatest
  // matter. Null where they are of too different sizes for that.
  function decimalsOf(rows, column) {
    const sizes = rows.map((row) => row[column]).filter((cell) => typeof cell === "number" && cell !== 0).map(Math.abs);
    if (sizes.every(Number.isInteger)) return 0;
    const [least, greatest] = sizes.reduce(([low, high], size) => [Math.min(low, size), Math.max(high, size)], [Infinity, 0]);
    const decimals = 4 - Math.floor(Math.log10(greatest));
    if (greatest >= 1e15 || decimals > 12 || least < greatest * 1e-9) return null;
    // No more than any of them needs: loads of 0.001 to 0.01 have three.
    const needed = sizes.map((size) => size.toFixed(Math.max(0, decimals)).replace(/0+$/, "").split(".")[1]?.length ?? 0);
    return needed.reduce((most, one) => Math.max(most, one), 0);
  }

  // A number in line with others of its column; one that would look like zero and is not has its own digits.
  function inLine(cell, decimals) {
    const text = decimals === null ? "" : cell.toFixed(decimals);
    if (decimals === null || (cell !== 0 && Number(text) === 0)) return simnet.number(cell, 4);
    const [, sign, whole, rest] = text.match(/^(-?)(\d+)(.*)$/);
    return (sign && "−") + (whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole) + rest;
  }

  function drawn(cell, numeric, decimals) {
    if (typeof cell === "number") {
      const text = inLine(cell, decimals);
      return el("td", { class: "num", title: text === String(cell) ? null : String(cell) }, text);
    }
    const letters = cell.length > LONGEST ? [...cell] : null;
    const short = letters ? letters.slice(0, LONGEST / 2).join("") + " … " + letters.slice(-LONGEST / 4).join("") : cell;
    return el("td", { class: numeric ? "num" : null, title: letters ? cell : null }, el("bdi", null, short));
  }

  function byNumber(a, b, direction) {
    const [x, y] = [a === "" ? NaN : Number(a), b === "" ? NaN : Number(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return x < y ? -direction : x > y ? direction : 0;
  }

  function byText(a, b, direction) {
    if (a === "" || b === "") return Number(a === "") - Number(b === "");
    return direction * String(a).localeCompare(String(b), "en", { numeric: true });
  }

  for (const details of root.querySelectorAll("details.table")) {
    let made = false;
    const make = () => {
      if (made || !details.open) return;
      made = true;
      table(details.querySelector(".made"), data.tables[Number(details.dataset.table)]);
    };
    details.addEventListener("toggle", make);
    make();
  }
});
