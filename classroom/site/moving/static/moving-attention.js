// Where the heads of a block look from one token of a sentence.
(() => {
  "use strict";

  window.KuiperMoving.kinds.attention = ({ percents, tokens, names, faintest }) => (settings) => {
    const [place, block] = [names.indexOf(settings.token), Number(settings.block)];
    const states = Object.fromEntries(tokens.map((token, j) => [`pick token ${j}`, [j === place ? "now" : "", token]]));
    const strongest = { percent: -1 };
    percents[block].forEach((rows, head) => {
      tokens.forEach((_, j) => { states[`look ${head} ${j}`] = ["ghost"]; });
      rows[place].forEach((percent, j) => { // up to the token itself
        if (percent > strongest.percent) Object.assign(strongest, { percent, head, j });
        const seen = percent >= faintest;
        states[`look ${head} ${j}`] = ["shade", seen ? String(percent) : "", 0, 0, seen ? percent / 100 : 0];
      });
    });
    const best = strongest.j === place ? "itself" : `"${tokens[strongest.j]}"`;
    const numbers = { block, place, token: tokens[place], head: strongest.head, best };
    return [states, place ? "other" : "first", numbers];
  };
})();
