// The button that starts Python in a page. All else is loaded when somebody presses it, or has answers here already.
(() => {
  "use strict";

  const loaded = new Set();

  /** Load scripts of the folder live/, each once, one after the other; a promise that fails with the name of one that is not there. */
  async function load(...names) {
    for (const name of names) {
      if (loaded.has(name)) continue;
      await new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = window.KuiperLive.base + name;
        script.onload = () => { script.remove(); done(); };
        script.onerror = () => failed(new Error(`${name} cannot be loaded: is the folder live/ of the site here?`));
        document.head.append(script);
      });
      loaded.add(name);
    }
  }

  /** What the scripts of live/ share; `root` is the way from the page to the site's root. */
  window.kuiperLive = (root) => (window.KuiperLive ??= { load, base: new URL(`${root}live/`, location.href).href });

  const place = document.querySelector(".live-place");
  if (!place) return;
  const data = JSON.parse(place.dataset.live);
  const live = Object.assign(window.kuiperLive(data.root), { data, place });

  const lesson = data.kind === "lesson";
  const bar = document.createElement("div");
  bar.className = "live-bar";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "live-button live-open";
  button.textContent = lesson ? "Run this lesson here" : "Write the exercises here";
  const words = document.createElement("span");
  words.className = "live-words";
  words.textContent = lesson
    ? "Python in this page: run the cells, change them, nothing to install."
    : "An editor and a check for each exercise, in this page. Your answers stay in this browser.";
  const changed = lesson ? Object.keys(window.KuiperStore.read(`cells:${data.lesson}`)).length : 0;
  if (changed) words.textContent = `Python in this page. You have changed ${changed} cell${changed > 1 ? "s" : ""}: press to see ${changed > 1 ? "them" : "it"}.`;
  bar.append(button, words);
  place.append(bar);

  async function open() {
    button.disabled = true;
    try {
      await live.load("config.js", "live-kernel.js", "live-page.js", lesson ? "live-lesson.js" : "live-homework.js");
      await live.open(bar, button, words);
    } catch (error) {
      words.textContent = error.message;
      button.disabled = false;
    }
  }
  button.addEventListener("click", () => { live.wasPressed = true; open(); });
  if (!lesson && window.KuiperStore.read(`homework:${data.file}`).text) open();
})();
