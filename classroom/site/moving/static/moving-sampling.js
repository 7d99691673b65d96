// What may be drawn next, for a temperature and a top-p. The scores come as the greatest, and how far it is to the next
// one and from there on, in hundredths.
(() => {
  "use strict";
  const four = (share) => Number(share.toFixed(4));

  window.KuiperMoving.kinds.sampling = ({ greatest, drops, names, prompt }) => {
    let score = greatest;
    const scores = [greatest, ...drops.map((drop) => (score -= drop))].map((hundredths) => hundredths / 100);
    return ({ temperature, top_p: topP }) => chances(scores, names, prompt, temperature, topP);
  };

  function chances(scores, names, prompt, temperature, topP) {
    const powers = scores.map((score) => Math.exp((score - scores[0]) / Number(temperature)));
    const total = powers.reduce((sum, power) => sum + power, 0);
    const before = powers.map((power) => power / total);
    let [kept, sum] = [0, 0];
    while (kept < before.length && (sum < Number(topP) || Number(topP) === 1)) sum += before[kept++];
    const left = before.map((chance, i) => (i < kept ? chance / sum : 0));

    const states = {};
    function bar(i, chance, after, stays) {
      states[`before${i}`] = ["bar plain", null, 0, 0, four(chance)];
      states[`left${i}`] = [stays ? "bar green" : "hidden", null, 0, 0, four(after)];
      states[`percent${i}`] = stays ? ["", `${(100 * after).toFixed(1)} %`] : ["muted", "cut off"];
    }
    names.forEach((name, i) => {
      states[`token${i}`] = [i < kept ? "" : "muted", name];
      bar(i, before[i], left[i], i < kept);
    });
    const rest = (all) => all.slice(names.length).reduce((one, other) => one + other, 0);
    bar(names.length, rest(before), rest(left), kept > names.length);
    states.more = [kept > names.length ? "" : "muted", kept > names.length ? `${kept - names.length} others` : "all others"];
    const key = kept === 1 ? "one" : kept === before.length ? "all" : "cut";
    return [states, key, { prompt, temperature, top_p: topP, kept, gone: before.length - kept }];
  }
})();
