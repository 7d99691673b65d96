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

  /** Disable a button, or enable it again: the focus that it had comes back. */
  live.disable = (button, is) => {
    if (button.disabled === is) return;
    if (is) button.hadFocus = document.activeElement === button;
    button.disabled = is;
    if (!is && button.hadFocus && document.activeElement === document.body) button.focus({ preventScroll: true });
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

  /** The bar's status: words, how many seconds what they say takes already, a progress bar while Python loads. */
  live.status = (bar, words) => {
    const meter = live.element("progress", "live-meter");
    meter.max = 1;
    meter.hidden = true;
    meter.setAttribute("aria-label", "Python loads");
    words.setAttribute("role", "status");
    const clock = live.element("span", "live-clock"); // beside the words, which are read out: this is not
    clock.setAttribute("aria-hidden", "true");
    bar.append(clock, meter);
    let timer = 0;
    const halt = () => {
      clearInterval(timer);
      timer = 0;
      clock.textContent = "";
    };
    const begin = () => {
      halt();
      const since = performance.now();
      const tick = () => { clock.textContent = `${Math.floor((performance.now() - since) / 1000)} s`; };
      tick();
      timer = setInterval(tick, 1000);
    };
    return {
      say: (text) => { halt(); meter.hidden = true; words.textContent = text; },
      busy: (text) => { begin(); words.textContent = text; },
      progress: (share, text) => {
        if (!timer) begin();
        meter.hidden = share >= 1;
        meter.value = share;
        words.textContent = text;
      },
    };
  };

  /** Jobs, one at a time: those that are added meanwhile wait. `changed` is called when one comes, begins or ends. */
  live.queue = (changed) => {
    const waiting = []; // {act, dropped}
    let isBusy = false;

    async function next() {
      isBusy = true;
      while (waiting.length) {
        const { act } = waiting.shift();
        changed();
        await act();
      }
      isBusy = false;
      changed();
    }

    return {
      isBusy: () => isBusy,
      /** A promise that the job is done, or was dropped. */
      add: (job, dropped = () => {}) => new Promise((done) => {
        waiting.push({ act: async () => { await job(); done(); }, dropped: () => { dropped(); done(); } });
        if (isBusy) changed();
        else next();
      }),
      /** Forget those that wait. */
      clear: () => { for (const { dropped } of waiting.splice(0)) dropped(); },
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
