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

  // The picture of links: its frame moves, the drawing does not.
  const picture = document.querySelector("svg.graph");
  if (picture) {
    const whole = picture.getAttribute("viewBox").split(" ").map(Number);
    let frame = [...whole];
    const show = () => {
      picture.setAttribute("viewBox", frame.join(" "));
      picture.setAttribute("font-size", Math.max(frame[2] / 90, frame[3] / 48));
      picture.classList.toggle("near", frame[2] < 500);
    };
    const zoom = (by, x = 0.5, y = 0.5) => {
      const wide = Math.min(Math.max(frame[2] * by, 80), whole[2] * 2);
      const scale = wide / frame[2];
      frame = [frame[0] + frame[2] * (1 - scale) * x, frame[1] + frame[3] * (1 - scale) * y, wide, frame[3] * scale];
      show();
    };
    const moves = { in: () => zoom(0.7), out: () => zoom(1 / 0.7), all: () => { frame = [...whole]; show(); } };
    const panel = document.querySelector(".zoom");
    panel.hidden = false;
    all("[data-zoom]", panel).forEach((one) => one.addEventListener("click", moves[one.dataset.zoom]));
    picture.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = picture.getBoundingClientRect();
      zoom(event.deltaY < 0 ? 0.85 : 1 / 0.85, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    }, { passive: false });
    let from = null;
    let moved = false;
    picture.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY, ...frame]; moved = false; });
    picture.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      const box = picture.getBoundingClientRect();
      const scale = Math.max(frame[2] / box.width, frame[3] / box.height);
      const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
      moved ||= Math.abs(dx) + Math.abs(dy) > 5;
      if (moved) { frame = [from[2] - dx * scale, from[3] - dy * scale, frame[2], frame[3]]; show(); }
    });
    picture.addEventListener("click", (event) => { if (moved) event.preventDefault(); }, true);
    Object.assign(keys, { "+": moves.in, "-": moves.out, 0: moves.all });
  }

  // News: the server is asked for the lines anew whenever something happens, and draws them itself.
  async function follow(mark) {
    let last = "";
    for (;;) {
      try {
        const headers = last ? { "Last-Event-ID": last } : {};
        const answer = await fetch(`/api/events?project=${encodeURIComponent(mark.dataset.live)}`, { headers });
        if (!answer.ok) return;
        mark.hidden = false;
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          last = [...part.value.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? last;
          if (/^data: /m.test(part.value)) htmx.trigger("#lines", "news");
        }
      } catch { /* the service ended, or the line broke: below it is tried again */ }
      mark.hidden = true;
      await new Promise((done) => setTimeout(done, 3000));
    }
  }
  all("[data-live]").forEach(follow);

  all("[data-submits]").forEach((one) => one.addEventListener("change", () => one.form.requestSubmit()));
  all("[data-opens]").forEach((one) => {
    one.hidden = false;
    one.addEventListener("click", () => document.getElementById(one.dataset.opens).showModal());
  });
})();
