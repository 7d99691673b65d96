/* Names for the parts of a page; and whatever scrolls sideways can be reached and scrolled by keyboard. */
(() => {
  "use strict";
  for (const [part, name] of [[".sidebar-drawer", "All pages"], [".toc-drawer", "On this page"]]) {
    document.querySelector(part)?.setAttribute("aria-label", name);
  }

  const wide = "article pre, article .table-wrapper, article .formula, article .cell_output > div";

  function mark() {
    for (const element of document.querySelectorAll(wide)) {
      const scrolls = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
      if (scrolls) {
        element.tabIndex = 0;
        if (element.tagName !== "PRE") element.setAttribute("role", "group");
        if (element.tagName !== "PRE") element.setAttribute("aria-label", "scrolls sideways");
      } else if (element.tabIndex === 0) {
        element.removeAttribute("tabindex");
        element.removeAttribute("role");
        element.removeAttribute("aria-label");
      }
    }
  }

  /* the long name of a module breaks after a dot, where it does not fit */
  const name = document.querySelector("article h1")?.firstChild;
  if (name?.nodeType === Node.TEXT_NODE && /^\w+(\.\w+)+$/.test(name.data)) {
    name.replaceWith(...name.data.split(/(?<=\.)/).flatMap((part, at) => (at ? [document.createElement("wbr"), part] : [part])));
  }

  /* a search for F.silu looks for "f" and "silu": only the longer word is marked on the page that it finds */
  try {
    const key = "sphinx_highlight_terms";
    const words = localStorage.getItem(key);
    if (words) localStorage.setItem(key, words.split(" ").filter((word) => word.length > 1).join(" "));
  } catch {
    /* the browser keeps nothing for pages of files */
  }

  /* what the search found in the index bears the name of its page: say which entry it is */
  function nameEntries(results) {
    for (const link of results.querySelectorAll("li.kind-index a:not([data-named])")) {
      link.dataset.named = "";
      const entry = decodeURIComponent(link.hash.slice(1));
      if (entry) link.textContent = `${entry} (${link.textContent})`;
    }
  }

  const results = document.getElementById("search-results");
  if (results) {
    new MutationObserver(() => nameEntries(results)).observe(results, { childList: true, subtree: true });
  }

  addEventListener("load", mark);
  addEventListener("resize", mark);
  document.addEventListener("toggle", mark, true);
})();
