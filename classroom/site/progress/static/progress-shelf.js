// What is remembered, as a file: saved, brought in again, or forgotten.
(() => {
  "use strict";
  const shelf = document.querySelector(".progress-shelf");
  if (!shelf) return;
  const store = window.KuiperStore;
  const progress = window.KuiperProgress;
  const FORMAT = "kuiper progress";
  const VERSION = 1;
  const NAME = "kuiper-progress.json";
  const JOINED = /^(?:lessons|exercises|guess:)/; // of these a file adds; all else it replaces

  const element = (name, kind = "", text = "") => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    if (text) made.textContent = text;
    return made;
  };

  const all = () => Object.fromEntries(store.keys().map((key) => [key, store.read(key)]));
  const many = (count, words) => `${count} ${words}${count === 1 ? "" : "s"}`;

  /** What stands under the keys, in words. */
  function inWords(kept) {
    const under = (start) => Object.entries(kept).filter(([key]) => key.startsWith(start)).map(([, value]) => value);
    const size = (start) => under(start).reduce((sum, one) => sum + Object.keys(one).length, 0);
    const parts = [
      [size("lessons") + size("exercises"), "tick"],
      [under("guess:").flatMap((one) => Object.values(one)).filter((one) => !one.shown).length, "guess"],
      [under("homework:").length, "homework file"],
      [size("cells:"), "changed cell"],
    ].filter(([count]) => count);
    return parts.map(([count, words]) => many(count, words).replace(/guesss$/, "guesses")).join(", ");
  }

  function save() {
    const text = JSON.stringify({ format: FORMAT, version: VERSION, kept: all() }, null, 1);
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = NAME;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say(`Saved as ${NAME}: ${inWords(all()) || "nothing yet"}.`);
  }

  /** What a file holds, key -> object; an Error that says what was expected and what was found. */
  function content(text, name) {
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      throw new Error(`${name}: expected a file that was saved here, such as ${NAME}, found no JSON`);
    }
    if (file?.format !== FORMAT) throw new Error(`${name}: expected a file that was saved here, such as ${NAME}, found another`);
    if (file.version !== VERSION) throw new Error(`${name}: expected version ${VERSION} of the format, found ${JSON.stringify(file.version)}`);
    if (file.kept === null || typeof file.kept !== "object") throw new Error(`${name}: expected what was kept, found none`);
    for (const [key, value] of Object.entries(file.kept)) {
      const fault = store.fault(key, value);
      if (fault) throw new Error(`${name}: expected ${fault}. Nothing was changed.`);
    }
    return file.kept;
  }

  async function bring(event) {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    try {
      const kept = content(await file.text(), file.name);
      const before = all();
      const lost = Object.keys(kept).filter((key) => /^(?:homework|cells):/.test(key) && before[key]
        && JSON.stringify(before[key]) !== JSON.stringify(kept[key]));
      const named = lost.map((key) => key.replace(/^homework:/, "").replace(/^cells:/, "the changed cells of "));
      if (lost.length && !confirm(`This replaces what this browser has of ${named.join(", ")}. Go on?`)) return;
      const full = Object.entries(kept).find(([key, value]) => !store.write(key, JOINED.test(key) ? { ...before[key], ...value } : value));
      if (full) { // all or nothing
        Object.keys(kept).forEach((key) => store.write(key, before[key] ?? {}));
        throw new Error(`${file.name}: this browser has no room for it. Nothing was changed.`);
      }
      say(`Brought in from ${file.name}: ${inWords(kept) || "nothing"}.`);
    } catch (error) {
      say(error.message);
    }
    progress.render();
  }

  function forget() {
    const kept = all();
    const what = inWords(kept) || "where you were";
    if (!Object.keys(kept).length) say("There is nothing to forget.");
    else if (confirm(`Forget everything that this browser keeps of the course (${what})? It cannot be brought back, unless you have saved it to a file.`)) {
      Object.keys(kept).forEach((key) => store.write(key, {}));
      say("Everything is forgotten.");
    }
    progress.render();
  }

  const status = element("p", "progress-status");
  status.setAttribute("role", "status");
  const say = (text) => {
    show();
    status.textContent = text;
  };
  const words = element("p");
  const show = () => { words.textContent = [progress.count(), inWords(all()) && `Kept: ${inWords(all())}.`].filter(Boolean).join(" ") || "Nothing is kept yet."; };

  const button = (text, act) => {
    const made = element("button", "gate-button", text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  };
  const field = element("input", "progress-file");
  field.type = "file";
  field.accept = ".json,application/json";
  field.addEventListener("change", bring);
  const label = element("label", "gate-button progress-bring", "Bring in from a file");
  label.append(field);
  const row = element("p", "progress-row");
  row.append(button("Save to a file", save), label, button("Forget everything", forget));
  shelf.append(words, row, status);
  if (location.protocol === "file:" && /\bFirefox\//.test(navigator.userAgent)) {
    shelf.append(element("p", "", "Firefox may keep apart what each page of a folder remembers. With python3 -m http.server in the site's folder it does not."));
  }
  show();
  store.changed(show);
})();
