// Predict, then run: what a cell gives, and the text after it, wait for the reader's guess. Then both stand side by side.
(() => {
  "use strict";
  const { page } = window.KuiperWhere;
  if (page?.kind !== "lesson") return;
  const store = window.KuiperStore;
  const key = `guess:${page.lesson.folder}`;
  const HIDDEN = "onbeforematch" in document.body ? "until-found" : ""; // so that the browser's own search finds it
  const gates = [];
  let count = () => {};
  const renderAll = () => { gates.forEach((gate) => gate.render()); count(); };

  const element = (name, kind = "", text = "") => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    if (text) made.textContent = text;
    return made;
  };

  const button = (text, act, kind = "gate-button") => {
    const made = element("button", kind, text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  };

  /** The paragraph that asks, above a cell: none for a second cell below one question. */
  function questionOf(cell) {
    for (let one = cell.previousElementSibling; one && !one.matches(".gate-cell"); one = one.previousElementSibling) {
      const mark = [...one.querySelectorAll("strong")].find((strong) => strong.textContent.startsWith("Predict"));
      if (mark) return mark.closest("p") ?? one;
    }
    return null;
  }

  /** What a question offers behind a colon: "how many: two, six or forty?" -> two, six, forty. Else nothing. */
  function offered(text) {
    for (const sentence of text.split(/(?<=[.?])\s+/)) {
      const list = /: (?<first>[^:?]+?),? or (?<last>[^:?]+)\?$/.exec(sentence);
      if (!list) continue;
      const all = [...list.groups.first.split(/, /), list.groups.last].map((one) => one.trim());
      if (all.length > 1 && all.length < 6 && all.every((one) => one && one.length <= 40)) return all;
    }
    return [];
  }

  /** Everything up to the next heading, in a box of its own. */
  function restOf(cell) {
    const rest = element("div", "gate-rest");
    cell.after(rest);
    while (rest.nextSibling && !rest.nextSibling.matches?.("section, h1, h2, h3, h4, h5, h6")) rest.append(rest.nextSibling);
    return rest;
  }

  function made(cell, id, question, number) {
    const asked = question.textContent.replace(/\s+/g, " ").trim().slice(0, 300);
    question.id ||= `question-${id}`;
    const result = element("div", "gate-result");
    const shown = [...cell.children].filter((one) => one.matches("details.hide, .cell_output"));
    result.append(element("p", "gate-label", "What it gives"), ...shown);
    for (const one of shown) if (one.matches("details")) one.open = true;
    const said = element("div", "gate-said");
    said.tabIndex = -1;
    const form = element("form", "gate-form");
    cell.classList.add("gate-cell");
    cell.append(form, said, result);
    const rest = restOf(cell);
    const gate = { cell, form, parts: [result, rest], after: null, written: () => field.value.trim() };

    const entry = () => {
      const found = store.read(key)[id];
      return found?.asked === asked ? found : null; // another question: another guess
    };
    const keep = (value) => {
      const all = store.read(key);
      if (value) all[id] = { asked, ...value };
      else delete all[id];
      store.keep(key, all);
      store.keep("here", { lesson: page.lesson.folder });
    };

    const field = element("textarea", "gate-field");
    field.id = `guess-${id}`;
    field.rows = 2;
    field.setAttribute("aria-describedby", question.id);
    const label = element("label", "gate-label", "Your guess");
    label.htmlFor = field.id;
    const note = element("p", "gate-note");
    note.setAttribute("role", "status");
    const choices = element("div", "gate-choices");
    choices.setAttribute("role", "group");
    choices.setAttribute("aria-label", "Guesses from the question");
    for (const one of offered(asked)) {
      choices.append(button(one, () => {
        field.value = field.value.trim() ? `${field.value.trim()}, ${one}` : one;
        field.focus();
      }, "gate-button gate-choice"));
    }
    const compare = element("button", "gate-button gate-compare", "Compare");
    const skip = button("Show me without a guess", () => gate.open({ shown: true }, true), "gate-skip");
    skip.setAttribute("aria-describedby", question.id);
    const row = element("div", "gate-row");
    row.append(compare, skip);
    const moving = rest.querySelectorAll(".moving").length;
    const behind = moving > 1 ? `${moving} moving pictures wait behind this guess.` : "A moving picture waits behind this guess.";
    const more = moving ? [element("p", "gate-behind", behind)] : [];
    form.append(label, field, ...(choices.children.length ? [choices] : []), row, ...more, note);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const guess = field.value.trim();
      if (guess) gate.open({ guess }, true);
      else { note.textContent = "Expected a guess: a word or a number will do. Or have it shown without one."; field.focus(); }
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
    });

    gate.isOpen = () => entry() !== null;
    gate.isShown = () => entry()?.shown === true;

    gate.open = (value, follow = false) => {
      keep(value);
      renderAll();
      if (follow) {
        said.focus();
        const explained = gate.parts[1].firstElementChild;
        if (explained?.matches("details")) explained.open = true;
      }
      const { after } = gate;
      gate.after = null;
      if (follow) after?.();
    };

    gate.close = () => {
      field.value = entry()?.guess ?? "";
      keep(null);
      renderAll();
    };

    gate.ask = (text, after) => {
      gate.after = after;
      note.textContent = text;
      field.focus();
    };

    gate.render = () => {
      const now = entry();
      cell.classList.toggle("gate-open", now !== null);
      form.hidden = now !== null;
      said.hidden = now === null;
      for (const part of gate.parts) {
        if (now) part.removeAttribute("hidden");
        else part.setAttribute("hidden", HIDDEN);
      }
      if (!now) return;
      note.textContent = "";
      const words = now.shown ? element("p", "gate-words gate-none", "None: it was shown without a guess.")
        : element("p", "gate-words", now.guess);
      const back = button(now.shown ? "Guess after all" : "Take it back", () => { gate.close(); field.focus(); }, "gate-skip");
      back.setAttribute("aria-describedby", question.id);
      said.setAttribute("role", "group");
      said.setAttribute("aria-label", `Your guess, prediction ${number}`);
      said.replaceChildren(element("p", "gate-label", "Your guess"), words, back);
    };

    for (const part of gate.parts) part.addEventListener("beforematch", () => { if (!gate.isOpen()) gate.open({ shown: true }); });
    return gate;
  }

  for (const cell of document.querySelectorAll("article .cell.tag_predict")) {
    const id = [...cell.classList].find((name) => name.startsWith("tag_guess-"))?.slice("tag_guess-".length);
    const question = id ? questionOf(cell) : null;
    if (question) gates.push(made(cell, id, question, gates.length + 1));
    else cell.querySelectorAll(":scope > details.hide").forEach((one) => { one.open = gates.some((gate) => gate.parts[1].contains(cell)); });
  }
  if (!gates.length) return;

  /** Open every gate behind which an element stands; false where it stands behind none. */
  function reveal(target) {
    const before = gates.filter((gate) => !gate.isOpen() && gate.parts.some((part) => part.contains(target)));
    before.forEach((gate) => gate.open({ shown: true }));
    return before.length > 0;
  }

  /* a link that leads behind a gate opens it */
  function reach() {
    let target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { /* no address of ours */ }
    if (target && reveal(target)) target.scrollIntoView();
  }

  /* in the box at the top: how many, and all at once for those who have read the lesson before */
  const words = element("span");
  const all = button("", () => {
    const closed = gates.filter((gate) => !gate.isOpen());
    if (closed.length) closed.forEach((gate) => gate.open({ shown: true }));
    else gates.filter((gate) => gate.isShown()).forEach((gate) => gate.close());
  }, "gate-skip");
  document.querySelector(".gate-count")?.append(" ", words, " ", all);
  count = () => {
    const closed = gates.filter((gate) => !gate.isOpen()).length;
    const shown = gates.filter((gate) => gate.isShown()).length;
    words.textContent = `${gates.length - closed - shown} of ${gates.length} guessed.`;
    all.hidden = !closed && !shown;
    all.textContent = closed ? "Show all without guessing" : "Ask again for those that were shown";
    dispatchEvent(new Event("resize")); // what measures itself is in sight now
  };

  /* on paper nothing can wait: what has not been guessed yet, and answers, are printed on the last pages */
  let putBack = () => {};
  function answersLast() {
    putBack();
    const last = element("section", "gate-answers");
    const back = [];
    const LAST = "stands on the last pages";
    const move = (title, words, parts) => {
      const line = element("p", "gate-paper", `${title}${words}`);
      parts[0].before(line);
      back.push(() => line.remove());
      last.append(element("h3", "", title));
      for (const part of parts) {
        const place = document.createComment("");
        part.replaceWith(place);
        back.push(() => place.replaceWith(part));
        last.append(part);
        for (const folded of [part, ...part.querySelectorAll("details")].filter((one) => one.matches("details:not([open])"))) {
          folded.open = true;
          back.push(() => { folded.open = false; });
        }
      }
    };
    gates.forEach((gate, index) => {
      const explained = gate.parts[1].firstElementChild;
      const parts = explained?.matches("details") ? [gate.parts[0], explained] : [gate.parts[0]];
      const words = `, your guess (what it gives ${LAST}): ${gate.written()}`;
      if (!gate.isOpen()) move(`Prediction ${index + 1}`, words, parts);
    });
    document.querySelectorAll("article .cell.tag_answer").forEach((cell, index) => {
      move(`Your turn, answer ${index + 1}`, ` ${LAST}.`, [cell]);
    });
    const thoughts = [...document.querySelectorAll("article details:not([open])")].filter((one) => /^An answer/.test(one.textContent.trim()));
    thoughts.forEach((one, index) => move(`To think about, answer ${index + 1}`, ` ${LAST}.`, [one]));
    if (back.length) document.querySelector("article").append(last);
    putBack = () => {
      back.forEach((one) => one());
      last.remove();
      putBack = () => {};
    };
  }

  renderAll();
  addEventListener("hashchange", reach);
  addEventListener("load", reach);
  addEventListener("beforeprint", answersLast);
  addEventListener("afterprint", () => putBack());

  window.KuiperGates = {
    reveal,
    openAll: () => gates.filter((gate) => !gate.isOpen()).forEach((gate) => gate.open({ shown: true })),
    offered,
    /** Whether a cell waits for a guess. */
    closed: (cell) => gates.some((gate) => gate.cell === cell && !gate.isOpen()),
    /** Ask for the guess of a cell that waits for one, and do something once it is there; whether there was one to ask for. */
    ask: (cell, after) => {
      const gate = gates.find((one) => one.cell === cell && !one.isOpen());
      gate?.ask("Guess first: then it runs.", after);
      return gate !== undefined;
    },
  };
})();
