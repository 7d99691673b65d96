// What steps and sliders share: the parts of a drawing, its copy for print, labelled sliders, buttons, and the address.
(() => {
  "use strict";
  const named = new Map(); // name -> [the first figure of that name, what it does with settings from the address]

  // A frame's states: {key of a part: [class, text, dx, dy, share, drawn]}; what it leaves out looks as drawn at first.
  function draw(parts, states) {
    for (const [key, part] of parts) {
      const [kind, text = null, dx = 0, dy = 0, share = null, drawn = null] = states[key] || [part.dataset.kind ?? ""];
      part.setAttribute("class", `part ${kind}`.trim());
      part.style.transform = dx || dy ? `translate(${dx}px,${dy}px)` : "";
      if (share === null) part.style.removeProperty("--share");
      else part.style.setProperty("--share", String(share));
      if (drawn !== null) {
        part.querySelector("image")?.setAttribute("href", drawn);
        part.querySelector("path")?.setAttribute("d", drawn);
      }
      const line = part.querySelector("text");
      if (line) line.textContent = text ?? part.dataset.text ?? "";
    }
  }

  function button(name, sign, title, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = `moving-${name}`;
    const [icon, word] = sign.split(" ");
    made.append(icon);
    if (word) made.append(Object.assign(document.createElement("span"), { textContent: ` ${word}` }));
    made.title = title;
    made.setAttribute("aria-label", title);
    made.addEventListener("click", () => { if (made.getAttribute("aria-disabled") !== "true") act(); });
    return made;
  }

  // A slider over the places 0 to count - 1; say(place, words) shows and speaks where it stands.
  function slider(text, count, go) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    const output = document.createElement("output");
    const word = document.createElement("span");
    word.textContent = text;
    input.type = "range";
    input.min = "0";
    input.max = String(count - 1);
    input.addEventListener("input", () => go(Number(input.value)));
    output.setAttribute("aria-live", "off");
    label.append(word, input, output);
    const say = (place, shown, spoken) => {
      input.value = String(place);
      input.setAttribute("aria-valuetext", spoken);
      output.textContent = shown;
    };
    return { label, input, say };
  }

  function follow() {
    const [name, settings] = location.hash.slice(1).split("?");
    const [figure, set] = named.get(name) ?? [];
    if (!figure || settings === undefined) return;
    set(new URLSearchParams(settings));
    window.KuiperGates?.reveal(figure);
    figure.scrollIntoView({ block: "start" });
  }

  // Prepares a figure: `read` takes settings from the address, `hint` says to a screen reader what keys do.
  function open(figure, what, hint, read) {
    const data = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    const stage = figure.querySelector(".moving-stage");
    const still = stage.cloneNode(true); // for print
    still.classList.add("moving-still");
    still.setAttribute("aria-hidden", "true");
    stage.classList.add("moving-live");
    stage.after(still);
    const controls = document.createElement("div");
    controls.className = "moving-controls";
    still.after(controls);

    const title = figure.querySelector(".moving-title");
    stage.tabIndex = 0;
    stage.setAttribute("role", "group");
    stage.setAttribute("aria-label", `${title.textContent}. ${hint}`);
    const link = document.createElement("a");
    link.className = "moving-link";
    link.textContent = "#";
    link.title = `Link to ${what}`;
    link.setAttribute("aria-label", link.title);
    title.append("\u00a0", link);

    const name = figure.dataset.name;
    if (!named.has(name)) named.set(name, [figure, read]);
    figure.dataset.ready = "true";
    return {
      data, stage, controls,
      parts: new Map([...stage.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part])),
      say: stage.querySelector(".moving-say"),
      address: (settings) => { link.href = `#${name}?${new URLSearchParams(settings)}`; },
    };
  }

  window.KuiperMoving = { draw, button, slider, open, kinds: {} };
  window.addEventListener("load", follow);
  window.addEventListener("hashchange", follow);
})();
