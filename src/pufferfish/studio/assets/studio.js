// What the page does by itself: sliders, files, copying, and putting the server's answers into place.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const tell = (name, value, options) => Shiny.setInputValue(name, value, options);
  const again = { priority: "event" };

  // A slider and its number show one value. The server is told at once, and then again after at least this pause (ms).
  const PAUSE = 60;

  function wireSlider(box) {
    const name = box.dataset.input;
    const stops = box.dataset.stops.split(" ").map(Number);
    const range = box.querySelector("input[type=range]");
    const number = box.querySelector("input[type=number]");
    let waiting = null;
    let last = 0;

    const nearest = (value) =>
      stops.reduce((best, stop, i) => (Math.abs(stop - value) < Math.abs(stops[best] - value) ? i : best), 0);
    const say = () => {
      const value = number.value === "" ? null : Number(number.value);
      range.setAttribute("aria-valuetext", `${name} = ${number.value}`);
      clearTimeout(waiting);
      const now = performance.now();
      const send = () => { last = performance.now(); tell(name, value); };
      if (now - last >= PAUSE) send();
      else waiting = setTimeout(send, PAUSE - (now - last));
    };
    range.addEventListener("input", () => { number.value = String(stops[Number(range.value)]); say(); });
    number.addEventListener("input", () => { range.value = String(nearest(Number(number.value))); say(); });
    say();
  }

  // Files go to the server as they are; it answers with a key by which the page claims them. What was
  // refused here the server does not know: the message stays until another table is chosen.
  let refused = "";
  function send(input) {
    const file = input.files[0];
    if (!file) return;
    if (file.size > Number(document.querySelector("[data-most]").dataset.most)) {
      refuse(document.querySelector("[data-most]").dataset.refusal);
      return;
    }
    const bar = input.closest("[data-file]").querySelector("progress");
    const request = new XMLHttpRequest();
    const failed = (text) => { bar.hidden = true; refuse(text); };
    request.open("POST", `upload?name=${encodeURIComponent(file.name)}`);
    request.upload.addEventListener("progress", (event) => { bar.value = event.loaded / event.total; });
    request.addEventListener("load", () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* not JSON: refused on the way */ }
      if (request.status !== 200) { failed(answer.error || "The file was not taken."); return; }
      bar.hidden = true;
      problem("");
      tell(input.dataset.upload, answer);
    });
    request.addEventListener("error", () => failed("The file was not taken: the connection was lost."));
    bar.value = 0;
    bar.hidden = false;
    request.send(file);
  }

  // Parts that belong to an answer are shown when it is given.
  function fold() {
    for (const part of document.querySelectorAll("[data-if], [data-when]")) {
      const [name, ...answers] = part.dataset.when ? ["by", ...part.dataset.when.split(" ")] : part.dataset.if.split(" ");
      const chosen = document.querySelector(`input[name="${name}"]:checked`);
      part.hidden = !(chosen && answers.includes(chosen.value));
    }
    // Rules are for columns with a role.
    const chosen = 'input:is([name=together], [name=keep], [name=known], [name=secrets]):checked, #column, #secret';
    const roles = new Set([...document.querySelectorAll(chosen)].map((each) => each.value));
    for (const part of document.querySelectorAll("[data-rule]")) part.hidden = !roles.has(part.dataset.rule);
    const source = document.querySelector('input[name="source"]:checked');
    document.querySelector('[data-file="upload"]').hidden = !(source && source.value === "upload");
  }

  function refuse(text) {
    refused = text;
    problem(text);
  }

  function problem(text) {
    const place = byId("problem");
    place.textContent = text;
    place.hidden = text === "";
    byId("studio").classList.toggle("stale", text !== "");
  }

  const work = { busy: false, what: "", share: 0, note: "" };
  function working(news) {
    const { busy, what, share, note } = Object.assign(work, news);
    const words = [what || "Calculating", what && share > 0 ? `${Math.round(100 * share)}%` : "", note];
    byId("working").hidden = !busy;
    byId("working").textContent = busy ? words.filter(Boolean).join(" · ") : "";
    byId("studio").classList.toggle("busy", busy);
  }

  // What is open or focused in a place stays so while its content is the same.
  const there = new Map();
  function put(id, html) {
    if (there.get(id) === html) return;
    there.set(id, html);
    const place = byId(id);
    const focused = place.contains(document.activeElement) && document.activeElement.closest("[data-cell]");
    place.innerHTML = html;
    if (focused) place.querySelector(`[data-cell="${focused.dataset.cell}"][tabindex]`)?.focus();
  }

  function show(shown) {
    for (const name of ["live", "result"]) {
      byId(name).hidden = !shown;
      document.querySelector(`[data-instead=${name}]`).hidden = shown;
    }
  }

  // Answers that suit what was chosen elsewhere; clicked, so that all listeners are told.
  function choose({ answers }) {
    for (const [name, value, given] of answers) {
      const input = document.querySelector(`input[name="${name}"][value="${value}"]`);
      if (input && input.checked !== given) input.click();
    }
  }

  // A slow answer is offered on request; until then the page shows the answer to an earlier question.
  function demand({ waits }) {
    byId("demand").hidden = !waits;
    byId("studio").classList.toggle("outdated", waits);
  }

  // The released files are gone when the page closes.
  let unsaved = false;
  window.addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
  function released({ name }) {
    unsaved = true;
    const look = new MutationObserver(() => {
      if (!byId("done")) return;
      look.disconnect();
      byId("done").focus();
      put("said", `Released: ${name}. Save the files below.`);
    });
    look.observe(byId("released"), { childList: true, subtree: true });
  }

  let saying = null;
  function moved({ verdict, said, tiles, ways, parts, pictures, covered }) {
    show(true);
    put("verdict", verdict);
    for (const [name, [number, note]] of Object.entries(tiles)) {
      put(`tile-${name}`, number);
      put(`note-${name}`, note);
    }
    for (const [name, html] of Object.entries({ ways, parts })) {
      byId(`place-${name}`).hidden = html === "";
      put(name, html);
    }
    for (const place of document.querySelectorAll(".figures > [id^=place-]")) {
      const name = place.id.slice("place-".length);
      place.hidden = !(name in pictures);
      put(`picture-${name}`, pictures[name] || "");
    }
    put("not-covered", covered);
    // Screen readers are told when the slider rests.
    clearTimeout(saying);
    saying = setTimeout(() => put("said", said), 700);
    document.dispatchEvent(new Event("moved"));
  }

  document.addEventListener("change", (event) => {
    if (event.target.matches("input[data-upload], input[name=source]")) refused = "";
    if (event.target.matches("input[data-upload]")) send(event.target);
    fold();
  });
  // A cell of the heat map is chosen by mouse, Enter or space.
  const cell = (event) => event.target.closest("[data-cell]");
  document.addEventListener("click", (event) => {
    if (cell(event)) tell("cell", cell(event).dataset.cell, again);
    if (event.target.matches("input[type=file]")) event.target.value = "";
    if (event.target.closest("#released a")) unsaved = false;
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      navigator.clipboard.writeText(copy.parentElement.querySelector("pre").textContent)
        .then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Select and copy"; });
    }
  });
  document.addEventListener("keydown", (event) => {
    if (cell(event) && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      tell("cell", cell(event).dataset.cell, again);
    }
  });

  document.documentElement.lang = "en";
  $(document).on("shiny:connected", () => {
    document.querySelectorAll(".slider").forEach(wireSlider);
    fold();
  });
  $(document).on("shiny:value shiny:bound", () => setTimeout(fold, 0));
  $(document).on("shiny:disconnected", () =>
    problem("The connection to the studio was lost. Reload the page; if that does not help, the studio has ended."));
  Shiny.addCustomMessageHandler("moved", moved);
  Shiny.addCustomMessageHandler("away", (_) => show(false));
  Shiny.addCustomMessageHandler("choose", choose);
  Shiny.addCustomMessageHandler("demand", demand);
  Shiny.addCustomMessageHandler("released", released);
  Shiny.addCustomMessageHandler("problem", ({ text }) => problem(text || refused));
  Shiny.addCustomMessageHandler("busy", working);
  Shiny.addCustomMessageHandler("progress", working);
})();
