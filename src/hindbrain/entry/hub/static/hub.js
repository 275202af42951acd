"use strict";
// What keys do, and the little that the pages cannot do by themselves. Stored text is only ever set as text.
(() => {
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const items = () => all(".item");
  const chosen = () => document.querySelector(".item.chosen");
  document.documentElement.classList.add("scripted");

  function choose(item) {
    if (!item) return;
    all(".item.chosen").forEach((one) => one.classList.remove("chosen"));
    item.classList.add("chosen");
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }

  function step(by) {
    const rows = items();
    const at = rows.indexOf(chosen());
    choose(rows[Math.min(Math.max(at + by, 0), rows.length - 1)]);
  }

  function act(key) {
    const within = key === "u" ? chosen()?.querySelector('[data-key="u"]') ? chosen() : document : chosen() ?? (key === "e" ? document : null);
    const found = within?.querySelector(`[data-key="${key}"]`);
    if (!found) return false;
    if (found.tagName === "FORM") found.requestSubmit();
    else {
      found.open = true;
      found.querySelector("textarea, input:not([type=hidden])")?.focus();
    }
    return true;
  }

  const keys = {
    j: () => step(1),
    k: () => step(-1),
    Enter: () => chosen()?.querySelector("[data-open]")?.click(),
    "/": () => document.querySelector("input[type=search]")?.focus(),
    "?": () => document.getElementById("keys").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const at = event.target;
    if (event.key === "Escape" && at.closest("input, textarea, select")) return at.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || at.closest("input, textarea, select, dialog")) return;
    if (event.key === "Enter" && at.closest("a, button, summary")) return;
    const tab = "123456".indexOf(event.key);
    if (event.key.length === 1 && tab >= 0) return all("header nav a")[tab]?.click();
    if (keys[event.key]) keys[event.key]();
    else if (!(event.key.length === 1 && "aprsue".includes(event.key) && act(event.key))) return;
    event.preventDefault();
  });

  document.addEventListener("focusin", (event) => {
    const item = event.target.closest(".item");
    if (item && item !== chosen()) {
      all(".item.chosen").forEach((one) => one.classList.remove("chosen"));
      item.classList.add("chosen");
    }
  });

  all("[data-submits]").forEach((one) => one.addEventListener("change", () => one.form.requestSubmit()));
  all("[data-opens]").forEach((one) => {
    one.hidden = false;
    one.addEventListener("click", () => document.getElementById(one.dataset.opens).showModal());
  });
})();
