"use strict";
/* Plots: a chart for every combination of choices is drawn already; here one is shown, and marks tell their figures.
 *
 * data.plots: per plot its choices [{name, options, buttons}]; the charts stand in the order of their combinations, the
 * last choice running fastest.
 */
for (const page of ["curves", "histograms"]) {
  simnet.section(page, function (root, data) {
    const { el } = simnet;
    const done = new Set(); // charts whose marks answer already

    [...root.querySelectorAll(".plot")].forEach((plot, nth) => {
      const charts = [...plot.querySelectorAll(".chart")];
      const choices = data.plots[nth];
      const chosen = [];
      let rest = Number(plot.dataset.first);
      for (const { options } of [...choices].reverse()) {
        chosen.unshift(rest % options.length);
        rest = Math.floor(rest / options.length);
      }

      function show() {
        const place = choices.reduce((sum, { options }, own) => sum * options.length + chosen[own], 0);
        charts.forEach((chart, own) => { chart.hidden = own !== place; });
        if (charts[place]) ready(charts[place]);
        simnet.tip();
      }

      const tools = plot.querySelector(".tools");
      choices.forEach((choice, own) => {
        if (choice.options.length < 2) return;
        tools.append(control(choice, chosen[own], (option) => {
          chosen[own] = option;
          show();
        }));
      });
      if (tools.childElementCount === 0) tools.remove();
      show();
    });

    // Buttons for a few options, a list with a step back and forth for many.
    function control({ name, options, buttons }, first, run) {
      if (buttons) {
        const all = options.map((option, nth) => el("button", {
          type: "button", "aria-pressed": String(nth === first),
          onclick: () => {
            all.forEach((button, own) => button.setAttribute("aria-pressed", String(own === nth)));
            run(nth);
          },
        }, option));
        return el("span", { class: "group", role: "group", "aria-label": name }, all);
      }
      const list = el("select", { onchange: () => run(list.selectedIndex) },
        options.map((option, nth) => el("option", { selected: nth === first }, option)));
      const step = (by, text, label) => el("button", {
        type: "button", "aria-label": label,
        onclick: () => {
          list.selectedIndex = (list.selectedIndex + by + options.length) % options.length;
          run(list.selectedIndex);
        },
      }, text);
      return el("span", { class: "tools", style: "margin: 0" }, el("label", {}, name, list),
        step(-1, "‹", `Previous: ${name}`), step(1, "›", `Next: ${name}`));
    }

    // Marks are one stop of the tab key; arrows go along them.
    function ready(chart) {
      if (done.has(chart)) return;
      done.add(chart);
      const marks = [...chart.querySelectorAll(".mark")];
      marks.forEach((mark, nth) => {
        mark.setAttribute("tabindex", nth === 0 ? "0" : "-1");
        mark.setAttribute("role", "img");
        mark.setAttribute("aria-label", mark.dataset.tip.replaceAll("\n", ", "));
        simnet.tooltip(mark, () => mark.dataset.tip);
      });
      chart.addEventListener("keydown", (event) => {
        const own = marks.indexOf(document.activeElement);
        const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
        const to = event.key === "Home" ? 0 : event.key === "End" ? marks.length - 1 : own + by;
        if (own < 0 || !(to >= 0 && to < marks.length)) return;
        marks[own].setAttribute("tabindex", "-1");
        marks[to].setAttribute("tabindex", "0");
        marks[to].focus();
        event.preventDefault();
      });
    }
  });
}
