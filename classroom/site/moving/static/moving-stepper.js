// A figure that is stepped through: <figure class="moving moving-steps"> with its frames as JSON.
// A frame is [sentence, {key of a part: [class, text, dx, dy]}]; what it leaves out looks as drawn by default.
(() => {
  "use strict";
  const PAUSE = 2600; // milliseconds between two steps while it plays

  function button(name, sign, title, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = `moving-${name}`;
    made.textContent = sign;
    made.title = title;
    made.setAttribute("aria-label", title);
    made.addEventListener("click", () => { if (made.getAttribute("aria-disabled") !== "true") act(); });
    return made;
  }

  function slider(count, go) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    const output = document.createElement("output");
    input.type = "range";
    input.min = "1";
    input.max = String(count);
    input.addEventListener("input", () => go(Number(input.value) - 1));
    output.setAttribute("aria-live", "off");
    label.append("Step", input, output);
    return { label, input, output };
  }

  function draw(parts, states) {
    for (const [key, part] of parts) {
      const [kind, text = null, dx = 0, dy = 0] = states[key] ?? [part.dataset.kind];
      part.setAttribute("class", `part ${kind}`.trim());
      part.style.transform = dx || dy ? `translate(${dx}px,${dy}px)` : "";
      part.querySelector("text").textContent = text ?? part.dataset.text;
    }
  }

  function start(figure) {
    const frames = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    const stage = figure.querySelector(".moving-stage");
    const still = stage.cloneNode(true); // for print
    still.classList.add("moving-still");
    still.setAttribute("aria-hidden", "true");
    stage.classList.add("moving-live");
    stage.after(still);

    const parts = new Map([...stage.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    const say = stage.querySelector(".moving-say");
    const last = frames.length - 1;
    let step = 0;
    let timer = 0;

    function show(wanted) {
      step = Math.min(Math.max(wanted, 0), last);
      const [sentence, states] = frames[step];
      draw(parts, states);
      say.textContent = sentence;
      input.value = String(step + 1);
      input.setAttribute("aria-valuetext", `step ${step + 1} of ${frames.length}`);
      output.textContent = `${step + 1} / ${frames.length}`;
      for (const one of [first, back]) one.setAttribute("aria-disabled", String(step === 0));
      next.setAttribute("aria-disabled", String(step === last));
      figure.dataset.step = String(step);
    }

    function stop() {
      window.clearInterval(timer);
      timer = 0;
      play.textContent = "▶ Play";
      play.setAttribute("aria-label", "Play");
      say.setAttribute("aria-live", "polite");
    }

    function go(wanted) {
      if (timer) stop();
      show(wanted);
    }

    function toggle() {
      if (timer) return stop();
      say.setAttribute("aria-live", "off"); // a voice cannot keep up
      play.textContent = "❚❚ Pause";
      play.setAttribute("aria-label", "Pause");
      show(step === last ? 0 : step + 1);
      timer = window.setInterval(() => {
        show(step + 1);
        if (step === last) stop();
      }, PAUSE);
    }

    const first = button("first", "|◀", "First step", () => go(0));
    const back = button("back", "◀ Back", "One step back", () => go(step - 1));
    const play = button("play", "▶ Play", "Play", toggle);
    const next = button("next", "Next ▶", "Next step", () => go(step + 1));
    const { label, input, output } = slider(frames.length, go);
    const controls = document.createElement("div");
    controls.className = "moving-controls";
    controls.append(first, back, play, next, label);
    still.after(controls);

    const keys = { ArrowRight: () => step + 1, ArrowLeft: () => step - 1, Home: () => 0, End: () => last };
    figure.addEventListener("keydown", (event) => {
      if (event.target === input || event.altKey || event.ctrlKey || event.metaKey || !(event.key in keys)) return;
      event.preventDefault();
      go(keys[event.key]());
    });

    const title = figure.querySelector(".moving-title").textContent;
    stage.tabIndex = 0;
    stage.setAttribute("role", "group");
    stage.setAttribute("aria-label", `${title}. The arrow keys step through it.`);
    stop();
    show(0);
    figure.dataset.ready = "true";
  }

  document.querySelectorAll(".moving-steps:not([data-ready])").forEach(start);
})();
