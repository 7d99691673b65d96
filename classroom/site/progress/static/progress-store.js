// What this browser keeps for its reader: every key, what may stand under it, and what happens where it cannot be kept.
(() => {
  "use strict";
  const PREFIX = "kuiper:1:"; // another number where old entries can no longer be read
  const isText = (value) => typeof value === "string";
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

  /* Each key holds an object; a rule says of each of its entries (value, name) whether it can be one. */
  const RULES = [
    [/^lessons$/, (value) => typeof value === "boolean"], // folder -> ticked, or unticked though its exercises are solved
    [/^exercises$/, (value) => value === "passed" || value === "ticked"], // id -> by its tests, or by hand
    [/^here$/, isText], // lesson -> folder of the lesson in which something was done last
    [/^guess:\w+$/, (value) => isObject(value) && isText(value.asked) && (isText(value.guess) || value.shown === true)],
    [/^cells:\w+$/, (value) => isObject(value) && isText(value.text) && isText(value.of)],
    [/^homework:[\w.]+$/, (value, name) => (name === "text" ? isText(value)
      : name === "pieces" && (value === null || (Array.isArray(value) && value.every(isText))))],
  ];

  const store = (window.KuiperStore = {});
  const memory = new Map(); // what the browser did not take: it is there until the page is closed
  let told = false;

  const ruleOf = (key) => RULES.find(([pattern]) => pattern.test(key))?.[1];

  /** Why a value cannot stand under a key, as the end of a sentence, or "". */
  store.fault = (key, value) => {
    const rule = ruleOf(key);
    if (!rule) return `nothing under ${JSON.stringify(key)}`;
    if (!isObject(value)) return `an object under ${JSON.stringify(key)}, found ${JSON.stringify(value)?.slice(0, 40)}`;
    const wrong = Object.entries(value).find(([name, entry]) => !rule(entry, name));
    return wrong ? `something else under ${JSON.stringify(key)} than ${JSON.stringify(wrong[0])}: ${JSON.stringify(wrong[1])?.slice(0, 40)}` : "";
  };

  /** The object under a key, without what is damaged; {} where there is none. */
  store.read = (key) => {
    try {
      const text = memory.has(key) ? memory.get(key) : localStorage.getItem(PREFIX + key);
      const value = JSON.parse(text);
      const rule = ruleOf(key);
      return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name, entry]) => rule(entry, name))) : {};
    } catch {
      return {};
    }
  };

  /** Keep an object under a key; an empty one is forgotten. False where the browser does not take it. */
  store.write = (key, value) => {
    const text = Object.keys(value).length ? JSON.stringify(value) : null;
    try {
      if (text === null) localStorage.removeItem(PREFIX + key);
      else localStorage.setItem(PREFIX + key, text);
      memory.delete(key);
      return true;
    } catch {
      memory.set(key, text);
      return false;
    }
  };

  /** The same, and where it is not kept the page says so, once. */
  store.keep = (key, value) => {
    if (!store.write(key, value) && !told) {
      told = true;
      say("This browser keeps nothing for this page: guesses and ticks are forgotten when it is closed.");
    }
  };

  /** The keys under which something stands. */
  store.keys = () => {
    const found = new Set([...memory].filter(([, text]) => text !== null).map(([key]) => key));
    try {
      for (let at = 0; at < localStorage.length; at += 1) {
        const key = localStorage.key(at);
        if (key.startsWith(PREFIX) && memory.get(key.slice(PREFIX.length)) !== null) found.add(key.slice(PREFIX.length));
      }
    } catch { /* blocked: there is only the memory */ }
    return [...found].filter(ruleOf).sort();
  };

  /** Called when another page has changed something. */
  store.changed = (act) => addEventListener("storage", (event) => {
    if (event.key === null || event.key.startsWith(PREFIX)) act();
  });

  function say(text) {
    const box = document.createElement("div");
    box.className = "progress-notice";
    const words = document.createElement("span");
    words.setAttribute("role", "status");
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => box.remove());
    box.append(words, close);
    (document.querySelector("article") ?? document.body).append(box);
    words.textContent = text;
  }
})();
