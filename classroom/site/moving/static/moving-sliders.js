// A figure with settings: <figure class="moving moving-sliders"> with sliders, words and data as JSON.
// KuiperMoving.kinds[name](data, settings, say) gives the states of its parts and its sentence for the settings.
(() => {
  "use strict";
  const { draw, slider, open, kinds } = window.KuiperMoving;

  // "{count} boxes" with the numbers filled in
  const filled = (words, numbers) => words.replace(/\{(\w+)\}/g, (_, name) => String(numbers[name]));

  function start(figure) {
    const { data, stage, parts, say, controls, address } = open(
      figure, "these settings", "The arrow keys move the first slider.", read,
    );
    const compute = kinds[figure.dataset.name](data);
    const settings = Object.fromEntries(data.sliders.map(([name, , , value]) => [name, value]));

    function show() {
      const [states, sentence, numbers] = compute(settings);
      draw(parts, states);
      say.textContent = filled(data.words[sentence], numbers);
      for (const { name, values, at } of dials) {
        at.say(values.indexOf(settings[name]), settings[name], settings[name]);
      }
      figure.dataset.settings = JSON.stringify(settings);
      address(settings);
    }

    function read(wanted) {
      for (const { name, values } of dials) if (values.includes(wanted.get(name))) settings[name] = wanted.get(name);
      show();
    }

    function set({ name, values }, place) {
      settings[name] = values[Math.min(Math.max(place, 0), values.length - 1)];
      show();
    }

    const dials = data.sliders.map(([name, label, values]) => {
      const dial = { name, values };
      dial.at = slider(label, values.length, (place) => set(dial, place));
      controls.append(dial.at.label);
      return dial;
    });
    controls.classList.add("moving-dials");

    stage.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      set(dials[0], dials[0].values.indexOf(settings[dials[0].name]) + step);
    });
    stage.addEventListener("click", (event) => { // a part "pick NAME PLACE" sets a slider
      const [pick, name, place] = (event.target.closest("[data-part]")?.dataset.part ?? "").split(" ");
      if (pick === "pick") set(dials.find((dial) => dial.name === name), Number(place));
    });
    say.setAttribute("aria-live", "polite");
    show();
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".moving-sliders:not([data-ready])").forEach(start);
  });
})();
