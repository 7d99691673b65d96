// Loads the viewer's scripts, in order, when a viewer comes near: a page that has one further down stays light.
(() => {
  "use strict";
  const NEAR = "900px"; // above and below the window
  const SCRIPTS = [
    "viewer-param.js", "viewer-families.js", "viewer-fold.js", "viewer-layout.js", "viewer-draw.js",
    "viewer-about.js", "viewer-summary.js", "viewer-values.js", "viewer-move.js", "viewer.js", "viewer-own.js",
  ];
  const here = document.currentScript.src;
  const places = document.querySelectorAll(".viewer-graph, .viewer-graph-own");
  const near = new IntersectionObserver((seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    near.disconnect();
    for (const name of SCRIPTS) {
      const script = document.createElement("script");
      script.src = new URL(name, here);
      script.async = false; // one after the other
      document.head.append(script);
    }
  }, { rootMargin: NEAR });
  places.forEach((place) => near.observe(place));
})();
