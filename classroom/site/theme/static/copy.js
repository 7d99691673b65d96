/* A button at each block of code that copies it. */
(() => {
  "use strict";

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      /* without the permission, or in an old browser: by a selection */
      const area = document.createElement("textarea");
      area.value = text;
      area.style.cssText = "position:fixed;opacity:0";
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      if (!done) throw new Error("not copied");
    }
  }

  for (const block of document.querySelectorAll("article div.highlight")) {
    const code = block.querySelector("pre");
    if (!code || block.closest(".cell_output, .source") || !code.textContent.trim()) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy this code");
    button.addEventListener("click", async () => {
      const back = document.activeElement;
      try {
        await copy(code.textContent.replace(/\n$/, ""));
        button.textContent = "Copied";
      } catch {
        button.textContent = "Select it";
      }
      back?.focus?.();
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.classList.add("copyable");
    block.append(button);
  }
})();
