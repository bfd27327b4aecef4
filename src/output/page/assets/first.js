"use strict";
// Run in the head: what the first paint depends on.
document.documentElement.classList.add("js");
// Should the other scripts not even begin, all sections stand below each other as they do without any.
addEventListener("error", () => {
  if (document.querySelector("section.page.shown") === null) document.documentElement.classList.remove("js");
});
try {
  const chosen = localStorage.getItem("simnet-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* a file opened from disk may have no storage */ }
