/* Finds records of search-data.js: ranked by where the words stand, and by what the record is. */
(() => {
  "use strict";
  const { kinds, records, synonyms } = globalThis.KUIPER_SEARCH;

  /* what a record of each kind counts, beside another that says the same */
  const WORTH = { lesson: 1.5, exercise: 1.3, term: 1.2, operator: 1, guide: 1.8, network: 0.8, teaching: 0.35, API: 0.3 };
  const SHOWN = 30;
  const MORE = 3;
  const SYNONYM = 0.7;
  const MISSING = 0.15;
  const TOGETHER = 2.2;

  const plain = (text) => text.toLowerCase();
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  const entries = records.map(([kind, title, page, address, text, names]) => ({
    kind: kinds[kind], title, page, address, text, names,
    fields: { title: plain(title), page: plain(page), text: plain(text), names: plain(names) },
  }));

  /* what is looked for in place of a word: itself, its stem, and what the course calls it */
  function variants(word) {
    const found = [[word, 1]];
    if (/[a-z]{4,}s$/.test(word)) found.push([word.slice(0, -1), 0.95]);
    for (const other of synonyms[word] ?? []) found.push([plain(other), SYNONYM]);
    const last = word.split(".").at(-1);
    if (last !== word && last.length > 2) found.push([last, 0.6], ...(synonyms[last] ?? []).map((one) => [plain(one), 0.5]));
    return found.map(([text, weight]) => ({
      text,
      weight,
      whole: new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(text)}(?![\\p{L}\\p{N}_])`, "gu"),
      start: new RegExp(`(?<![\\p{L}\\p{N}])${escaped(text)}`, "gu"),
    }));
  }

  /* how well one variant is found in a record */
  function strength({ title, page, text, names }, { text: words, whole, start }) {
    const count = (field, pattern) => (field.match(pattern) ?? []).length;
    let sum = 0;
    if (title === words || title.split(".").at(-1) === words) sum += 14;
    if (count(title, whole)) sum += 8;
    else if (count(title, start)) sum += 5;
    if (count(page, whole)) sum += 3;
    else if (count(page, start)) sum += 2;
    const said = count(text, whole);
    if (said) sum += 2 + Math.log2(said);
    else if (count(text, start)) sum += 1;
    if (count(names, whole)) sum += 1;
    else if (count(names, start)) sum += 0.4;
    return sum;
  }

  const wordsOf = (query) =>
    [...new Set(plain(query).split(/[\s,;]+/).map((one) => one.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")))].filter(Boolean);

  /* two words beside each other, in either order, as in ShapeError */
  const pairsOf = (words) => words.slice(1).map((word, at) => {
    const [one, two] = [escaped(words[at]), escaped(word)];
    return new RegExp(`${one}[\\s_.-]?${two}|${two}[\\s_.-]?${one}`, "iu");
  });

  /* Words as typed -> pages [{page, score, best, more}], the best first. */
  function search(query) {
    const words = wordsOf(query);
    if (!words.length) return [];
    const found = words.map((word) => {
      const tried = variants(word);
      const strengths = entries.map((entry) => Math.max(...tried.map((one) => one.weight * strength(entry.fields, one))));
      const hits = strengths.filter(Boolean).length;
      return { strengths, rarity: Math.log(1 + entries.length / (1 + hits)) };
    });
    const pairs = pairsOf(words);
    const groups = new Map();
    entries.forEach((entry, at) => {
      const present = found.filter(({ strengths }) => strengths[at]);
      if (!present.length) return;
      const sum = present.reduce((total, { strengths, rarity }) => total + rarity * strengths[at], 0);
      const together = pairs.filter((pair) => Object.values(entry.fields).some((field) => pair.test(field))).length;
      const score = sum * WORTH[entry.kind] * MISSING ** (words.length - present.length) * TOGETHER ** together;
      /* a term or an operator is a result of its own, whatever else its page has */
      const key = entry.kind === "term" || entry.kind === "operator" ? entry.address : entry.address.split("#")[0];
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push({ entry, score });
    });
    const pages = [...groups.values()].map((hits) => {
      hits.sort((a, b) => b.score - a.score);
      const score = hits[0].score + 0.25 * hits.slice(1, 5).reduce((sum, one) => sum + one.score, 0);
      return { score, best: hits[0].entry, more: hits.slice(1, 1 + MORE).filter((one) => one.score > 0.4 * hits[0].score).map((one) => one.entry) };
    });
    return pages.sort((a, b) => b.score - a.score).slice(0, SHOWN);
  }

  /* every text that is looked for, to be marked; the longest first */
  function marks(query) {
    const words = plain(query).split(/[\s,;]+/).filter(Boolean).flatMap((word) => variants(word).map((one) => one.text));
    const long = words.filter((word) => word.length > 1).sort((a, b) => b.length - a.length);
    return long.length ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${long.map(escaped).join("|")})`, "giu") : null;
  }

  /* A part of a text around its first mark, as nodes. */
  function excerpt(text, pattern) {
    const first = pattern ? text.search(pattern) : -1;
    let begin = Math.max(0, first - 70);
    if (begin) begin = text.indexOf(" ", begin) + 1;
    let end = Math.min(text.length, begin + 210);
    if (end < text.length) end = Math.max(text.lastIndexOf(" ", end), begin + 1);
    const part = `${begin ? "… " : ""}${text.slice(begin, end)}${end < text.length ? " …" : ""}`;
    return marked(part, pattern);
  }

  function marked(text, pattern) {
    const parts = [];
    let at = 0;
    for (const found of pattern ? text.matchAll(pattern) : []) {
      const mark = document.createElement("mark");
      mark.textContent = found[0];
      parts.push(text.slice(at, found.index), mark);
      at = found.index + found[0].length;
    }
    return [...parts, text.slice(at)];
  }

  function element(tag, name, ...children) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...children);
    return made;
  }

  const root = document.documentElement.dataset.content_root ?? "./";
  function link(entry, ...children) {
    const made = element("a", "", ...children);
    made.href = root + entry.address;
    return made;
  }

  /* names in the code of a record that are made of words beside each other, which its text does not say */
  function codeNames({ text, names }, query) {
    const unsaid = pairsOf(wordsOf(query)).filter((pair) => !pair.test(text));
    return names.split(" ").filter((name) => unsaid.some((pair) => pair.test(name))).slice(0, MORE);
  }

  function row({ best, more }, pattern, query) {
    const where = best.page === best.title ? best.kind : `${best.kind} · ${best.page}`;
    const item = element(
      "li",
      `kind-${best.kind}`,
      element("h2", "", link(best, ...marked(best.title, pattern))),
      element("p", "where", where),
      element("p", "excerpt", ...excerpt(best.text, pattern)),
    );
    const names = codeNames(best, query);
    if (names.length) {
      const listed = names.flatMap((name, at) => [at ? ", " : "", element("code", "", ...marked(name, pattern))]);
      item.append(element("p", "also", "In its code: ", ...listed));
    }
    if (more.length) {
      const links = more.flatMap((entry, at) => [at ? ", " : "", link(entry, entry.title)]);
      item.append(element("p", "also", "Also there: ", ...links));
    }
    return item;
  }

  const field = document.getElementById("search-words");
  const list = document.getElementById("search-results");
  const count = document.getElementById("search-count");

  function show() {
    const query = field.value.trim();
    const found = search(query);
    const pattern = marks(query);
    list.replaceChildren(...found.map((one) => row(one, pattern, query)));
    if (!query) count.textContent = "Type what you look for.";
    else if (!found.length) count.textContent = `Nothing is called “${query}” here. Another word for it?`;
    else count.textContent = `${found.length === SHOWN ? "The best " : ""}${found.length} result${found.length > 1 ? "s" : ""}`;
    document.title = query ? `${query} - Search - Kuiper` : "Search - Kuiper";
  }

  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 120);
  });
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `?q=${encodeURIComponent(field.value.trim())}`);
    show();
  });
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  show();
  if (!field.value) field.focus();
})();
