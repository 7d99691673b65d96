// A figure that is stepped through: <figure class="moving moving-steps"> with its frames as JSON.
// A frame is [sentence, states of those parts that are not as in the frame before; 0: as drawn at first].
(() => {
  "use strict";
  const PAUSE = 2600; // milliseconds between two steps while it plays
  const { draw, button, slider, open } = window.KuiperMoving;

  function start(figure) {
    const { data, parts, say, controls, address } = open(
      figure, "this step", "The arrow keys step through it.", (settings) => go(Number(settings.get("step")) - 1),
    );
    let states = {};
    const frames = data.map(([sentence, changes]) => [sentence, states = { ...states, ...changes }]);
    const last = frames.length - 1;
    let step = 0;
    let timer = 0;

    function show(wanted) {
      step = Math.min(Math.max(wanted || 0, 0), last);
      const [sentence, shown] = frames[step];
      draw(parts, shown);
      say.textContent = sentence;
      at.say(step, `${step + 1} / ${frames.length}`, `step ${step + 1} of ${frames.length}`);
      for (const one of [first, back]) one.setAttribute("aria-disabled", String(step === 0));
      next.setAttribute("aria-disabled", String(step === last));
      figure.dataset.step = String(step);
      address({ step: step + 1 });
    }

    function playing(name, sign) {
      play.firstChild.textContent = sign;
      play.lastChild.textContent = ` ${name}`;
      play.title = name;
      play.setAttribute("aria-label", name);
      say.setAttribute("aria-live", name === "Play" ? "polite" : "off"); // a voice cannot keep up
    }

    function stop() {
      window.clearInterval(timer);
      timer = 0;
      playing("Play", "▶");
    }

    function go(wanted) {
      if (timer) stop();
      show(wanted);
    }

    function toggle() {
      if (timer) return stop();
      playing("Pause", "❚❚");
      show(step === last ? 0 : step + 1);
      timer = window.setInterval(() => {
        show(step + 1);
        if (step === last) stop();
      }, PAUSE);
    }

    const first = button("first", "|◀", "First step", () => go(0));
    const back = button("back", "◀ Back", "One step back", () => go(step - 1));
    const play = button("play", "▶ Play", "Play", toggle);
    const next = button("next", "▶| Next", "Next step", () => go(step + 1));
    const at = slider("Step", frames.length, go);
    controls.append(first, back, play, next, at.label);

    const keys = { ArrowRight: () => step + 1, ArrowLeft: () => step - 1, Home: () => 0, End: () => last };
    figure.addEventListener("keydown", (event) => {
      if (event.target === at.input || event.altKey || event.ctrlKey || event.metaKey || !(event.key in keys)) return;
      event.preventDefault();
      go(keys[event.key]());
    });
    stop();
    show(0);
  }

  document.querySelectorAll(".moving-steps:not([data-ready])").forEach(start);
})();
