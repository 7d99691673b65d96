// Where the boxes of a layered graph stand: kuiper/show/layout.py in the page, which lays out anew when a block is
// opened. Both give the same numbers, which a test holds; the reasons are written there.
(() => {
  "use strict";
  const SPACE = 18;
  const BEND = 8;
  const sum = (values) => values.reduce((a, b) => a + b, 0);

  /** `barriers`: nodes, in order; each of them and all after it stand below all before it. */
  function longestPaths(count, edges, late, barriers) {
    const above = Array.from({ length: count }, () => []);
    const below = Array.from({ length: count }, () => []);
    for (const [source, target] of edges) {
      above[target].push(source);
      below[source].push(target);
    }
    const layer = [];
    const floors = [0];
    for (let node = 0; node < count; node += 1) {
      if (node > 0 && barriers.includes(node)) floors.push(Math.max(...layer) + 1);
      layer.push(Math.max(floors.at(-1), ...above[node].map((source) => layer[source] + 1)));
    }
    for (const node of late) {
      const floor = floors.findLast((one) => one <= layer[node]);
      const next = floors.find((one) => one > floor) ?? Infinity;
      const reader = Math.min(...below[node].map((target) => layer[target]));
      layer[node] = below[node].length ? Math.max(floor, Math.min(reader, next) - 1) : floor;
    }
    return layer;
  }

  function withBends(widths, layers, edges) {
    const items = { width: [...widths], layer: [...layers], nodes: widths.length };
    const links = [];
    const chains = edges.map(([source, target]) => {
      const chain = [];
      for (let passed = layers[source] + 1; passed < layers[target]; passed += 1) {
        chain.push(items.width.length);
        items.width.push(BEND);
        items.layer.push(passed);
      }
      const stops = [source, ...chain, target];
      for (let i = 1; i < stops.length; i += 1) links.push([stops[i - 1], stops[i]]);
      return chain;
    });
    items.above = items.width.map(() => []);
    items.below = items.width.map(() => []);
    for (const [upper, lower] of links) {
      items.below[upper].push(lower);
      items.above[lower].push(upper);
    }
    return { items, chains };
  }

  function crossings(items, rows) {
    const place = new Array(items.width.length);
    for (const row of rows) row.forEach((item, i) => { place[item] = i; });
    let total = 0;
    for (const row of rows) {
      const ends = []; // sorted
      const after = (value) => { // the first place whose end is greater
        let [low, high] = [0, ends.length];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (value < ends[middle]) high = middle; else low = middle + 1;
        }
        return low;
      };
      for (const item of row) {
        const targets = items.below[item].map((lower) => place[lower]);
        for (const target of targets) total += ends.length - after(target);
        for (const target of targets) ends.splice(after(target), 0, target);
      }
    }
    return total;
  }

  function ordered(items) {
    const rows = Array.from({ length: Math.max(-1, ...items.layer) + 1 }, () => []);
    items.layer.forEach((layer, item) => rows[layer].push(item));
    const copy = () => rows.map((row) => [...row]);
    let [best, fewest] = [copy(), crossings(items, rows)];
    for (let sweep = 0; sweep < 16 && fewest > 0; sweep += 1) {
      const neighbours = sweep % 2 ? items.below : items.above;
      const place = new Array(items.width.length);
      for (const row of rows) row.forEach((item, i) => { place[item] = i; });
      for (const row of sweep % 2 ? [...rows].reverse() : rows) {
        const mean = new Map(row.map((item) => [item, neighbours[item].length ? sum(neighbours[item].map((n) => place[n])) / neighbours[item].length : place[item]]));
        row.sort((a, b) => mean.get(a) - mean.get(b));
        row.forEach((item, i) => { place[item] = i; });
      }
      const found = crossings(items, rows);
      if (found < fewest) [best, fewest] = [copy(), found];
    }
    return best;
  }

  function pull(items, a, b) {
    const [upper, lower] = [Math.min(a, b), Math.max(a, b)];
    if (lower >= items.nodes) return upper >= items.nodes ? 0.3 : 0.003;
    return !items.above[upper].length && items.above[lower].length > 1 ? 0.03 : 1;
  }

  function apart(wishes, weights, widths) {
    const offsets = [0];
    for (let i = 1; i < widths.length; i += 1) offsets.push(offsets.at(-1) + (widths[i - 1] + widths[i]) / 2 + SPACE);
    const blocks = [];
    wishes.forEach((wish, i) => {
      let [mean, weight, count] = [wish - offsets[i], weights[i], 1];
      while (blocks.length && blocks.at(-1)[0] > mean) {
        const [other, otherWeight, otherCount] = blocks.pop();
        mean = (mean * weight + other * otherWeight) / (weight + otherWeight);
        [weight, count] = [weight + otherWeight, count + otherCount];
      }
      blocks.push([mean, weight, count]);
    });
    const means = blocks.flatMap(([mean, , count]) => new Array(count).fill(mean));
    return means.map((mean, i) => mean + offsets[i]);
  }

  function straighten(items, rows, x) {
    const neighbours = [];
    for (const row of rows) row.forEach((item, i) => { neighbours[item] = [row[i - 1] ?? -1, row[i + 1] ?? -1]; });
    const room = (item) => {
      const [left, right] = neighbours[item];
      return [
        left >= 0 ? x[left] + (items.width[left] + BEND) / 2 + SPACE : -Infinity,
        right >= 0 ? x[right] - (items.width[right] + BEND) / 2 - SPACE : Infinity,
      ];
    };
    const settle = (run, least, most) => {
      const wish = sum(run.map((item) => x[item])) / run.length;
      for (const item of run) x[item] = Math.min(Math.max(wish, least), most);
    };
    for (let first = items.nodes; first < items.width.length; first += 1) {
      if (items.above[first][0] >= items.nodes) continue;
      let [run, [least, most], item] = [[first], room(first), first];
      while ((item = items.below[item][0]) >= items.nodes) {
        const [low, high] = room(item);
        if (Math.max(low, least) > Math.min(high, most)) {
          settle(run, least, most);
          [run, least, most] = [[], low, high];
        }
        run.push(item);
        [least, most] = [Math.max(low, least), Math.min(high, most)];
      }
      settle(run, least, most);
    }
  }

  function coordinates(items, rows) {
    const x = new Array(items.width.length).fill(0);
    for (let sweep = 0; sweep < 24; sweep += 1) {
      const upward = sweep % 2 === 1;
      for (const row of upward ? [...rows].reverse() : rows) {
        const [wishes, weights] = [[], []];
        for (const item of row) {
          const near = upward ? items.below[item] : items.above[item];
          const pulls = near.length ? near.map((other) => [pull(items, item, other), x[other]]) : [[0.001, x[item]]];
          weights.push(sum(pulls.map(([one]) => one)));
          wishes.push(sum(pulls.map(([one, place]) => one * place)) / weights.at(-1));
        }
        apart(wishes, weights, row.map((item) => items.width[item])).forEach((place, i) => { x[row[i]] = place; });
      }
    }
    straighten(items, rows, x);
    const left = x.length ? Math.min(...items.width.map((width, i) => x[i] - width / 2)) : 0;
    return x.map((place) => place - left);
  }

  /** As layered() of kuiper.show.layout: widths, edges [from, to], nodes that stand right above their first reader; and barriers. */
  function layered(widths, edges, late, barriers = []) {
    const layer = longestPaths(widths.length, edges, late, barriers);
    const { items, chains } = withBends(widths, layer, edges);
    const x = coordinates(items, ordered(items));
    return { layer, x: x.slice(0, widths.length), bends: chains.map((chain) => chain.map((item) => x[item])) };
  }

  Object.assign(globalThis.KuiperViewer, { layered, BEND });
})();
