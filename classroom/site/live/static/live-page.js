// What lessons and exercises share: the editor, the progress bar, the question before anything is fetched, storage.
(() => {
  "use strict";
  const live = window.KuiperLive;

  live.element = (name, kind = "", text = "") => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    if (text) made.textContent = text;
    return made;
  };

  live.button = (text, act, kind = "") => {
    const made = live.element("button", `live-button ${kind}`.trim(), text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  };

  /** A text field with the interface of KuiperEditor, where that cannot be loaded. */
  function plainEditor(parent, text, { label, changed, run }) {
    const field = live.element("textarea", "live-plain");
    field.value = text;
    field.spellcheck = false;
    field.rows = text.split("\n").length + 1;
    field.setAttribute("aria-label", label);
    field.addEventListener("input", changed);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
    });
    parent.append(field);
    return { text: () => field.value, replace: (other) => { field.value = other; changed(); }, focus: () => field.focus(), number: () => {} };
  }

  live.editor = async (...wanted) => {
    if (!window.KuiperEditor) await live.load("editor.js").catch(() => {});
    return (window.KuiperEditor ?? plainEditor)(...wanted);
  };

  /** The bar's status: words, a progress bar while Python loads, Stop while it runs. */
  live.status = (bar, words) => {
    const meter = live.element("progress", "live-meter");
    meter.max = 1;
    meter.hidden = true;
    meter.setAttribute("aria-label", "Python loads");
    words.setAttribute("role", "status");
    bar.append(meter);
    return {
      say: (text) => { words.textContent = text; },
      progress: (share, text) => {
        meter.hidden = share >= 1;
        meter.value = share;
        words.textContent = text;
      },
      failed: (text) => { meter.hidden = true; words.textContent = text; },
    };
  };

  /** How many columns of a report are in sight, as the course's `check` asks a terminal. */
  live.columns = (report) => {
    const style = getComputedStyle(report);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    const inside = report.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return Math.max(1, Math.floor(inside / pen.measureText("0").width));
  };

  let agreed = false;

  /** Whether Python may be fetched, where the site does not have it: asked once, with the size. */
  live.agreed = (bar) => {
    if (agreed || live.hasRuntime()) return Promise.resolve(true);
    const size = Math.round(live.sizeToFetch() / 1e6);
    const host = new URL(live.config.servers[0].url).host;
    return new Promise((done) => {
      const box = live.element("div", "live-question");
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "Fetch Python?");
      const text = `This copy of the site does not have Python in it. It can be fetched from ${host}, Pyodide's servers: ` +
        `at most ${size} MB, once, until the browser forgets them. The servers see your address. Nothing of yours is sent.`;
      const answer = (yes) => () => { agreed = yes; box.remove(); done(yes); };
      box.append(live.element("p", "", text), live.button(`Fetch ${size} MB`, answer(true)), live.button("No", answer(false)));
      bar.after(box);
      box.querySelector("button").focus();
    });
  };
})();
