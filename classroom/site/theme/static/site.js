/* Names for the parts of a page; and whatever scrolls sideways can be reached and scrolled by keyboard. */
(() => {
  "use strict";
  for (const [part, name] of [[".sidebar-drawer", "All pages"], [".toc-drawer", "On this page"]]) {
    document.querySelector(part)?.setAttribute("aria-label", name);
  }

  const wide = "article pre:not([role]), article .table-wrapper, article .formula, article .cell_output > div";

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

  /* Boxes of code have two widths: that of the text, and where something in them is longer all the room there is. */
  function widen() {
    const boxes = document.querySelectorAll(`article :is(.cell, div[class*="highlight-"]:not(.cell *))`);
    const root = getComputedStyle(document.documentElement);
    const measure = parseFloat(root.getPropertyValue("--measure")) * parseFloat(root.fontSize); // it is in rem
    for (const box of boxes) box.classList.remove("wide");
    const longer = [...boxes].filter((box) => box.offsetWidth > measure + 1);
    for (const box of longer) box.classList.add("wide");
  }

  /* the long name of a module breaks after a dot, where it does not fit */
  const name = document.querySelector("article h1")?.firstChild;
  if (name?.nodeType === Node.TEXT_NODE && /^\w+(\.\w+)+$/.test(name.data)) {
    name.replaceWith(...name.data.split(/(?<=\.)/).flatMap((part, at) => (at ? [document.createElement("wbr"), part] : [part])));
  }

  widen();
  addEventListener("load", mark);
  addEventListener("resize", () => { widen(); mark(); });
  document.addEventListener("toggle", () => { widen(); mark(); }, true);
})();
