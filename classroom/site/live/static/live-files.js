// The reader's homework files: kept in the browser, cut into exercises and put together again, as one file or as a zip.
(() => {
  "use strict";
  const live = window.KuiperLive;

  /** Where the exercises of a homework file begin -> [preamble, first exercise, ...]; an Error that names what is missing. */
  live.split = (text, exercises, file) => {
    const lines = text.split("\n");
    const starts = exercises.map(({ id, names }) => {
      const head = new RegExp(`^(?:async\\s+def|def|class)\\s+${names[0]}\\b`);
      let at = lines.findIndex((line) => head.test(line));
      if (at < 0) throw new Error(`${file}: expected the function ${names[0]} of ${id}, and there is none`);
      while (at > 0 && /^[@#]/.test(lines[at - 1])) at -= 1;
      return at;
    });
    if (starts.some((start, place) => place && start < starts[place - 1])) {
      throw new Error(`${file}: expected the exercises in the order ${exercises.map(({ id }) => id).join(", ")}`);
    }
    const ends = [...starts, lines.length];
    const pieces = [lines.slice(0, starts[0]), ...starts.map((start, place) => lines.slice(start, ends[place + 1]))];
    return pieces.map((piece, place) => piece.join("\n") + (place < pieces.length - 1 ? "\n" : ""));
  };

  /** The pieces as one file: each begins on a line of its own. */
  live.join = (pieces) => pieces.map((piece, at) => (at < pieces.length - 1 && piece && !piece.endsWith("\n") ? `${piece}\n` : piece)).join("");

  /** What is kept of a homework file: {text, pieces}, without a text where there is nothing. */
  live.answers = (file) => window.KuiperStore.read(`homework:${file}`);
  live.keepAnswers = (file, text, pieces = null) => window.KuiperStore.write(`homework:${file}`, text ? { text, pieces } : {});

  live.download = (name, content, type) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  function crc32(bytes) {
    let crc = ~0;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
    }
    return ~crc >>> 0;
  }

  /** name -> text, as the bytes of a zip archive without compression. */
  live.zip = (files) => {
    const code = new TextEncoder();
    const chunks = [];
    const directory = [];
    let at = 0;
    for (const [name, text] of Object.entries(files)) {
      const [path, content] = [code.encode(name), code.encode(text)];
      const common = [20, 0x800, 0, 0, 0x21]; // version, names in UTF-8, stored, the time and day that zip begins with
      const record = (mark, more, after) => {
        const made = new DataView(new ArrayBuffer(mark === 0x04034b50 ? 30 : 46));
        let place = 0;
        const put = (size, value) => { made[`setUint${8 * size}`](place, value, true); place += size; };
        put(4, mark);
        more.forEach((one) => put(2, one));
        [crc32(content), content.length, content.length].forEach((one) => put(4, one));
        put(2, path.length);
        after.forEach(([size, value]) => put(size, value));
        return new Uint8Array(made.buffer);
      };
      const local = record(0x04034b50, common, [[2, 0]]);
      directory.push(record(0x02014b50, [20, ...common], [[2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, at]]), path);
      chunks.push(local, path, content);
      at += local.length + path.length + content.length;
    }
    const size = directory.reduce((sum, one) => sum + one.length, 0);
    const end = new DataView(new ArrayBuffer(22));
    const count = directory.length / 2;
    end.setUint32(0, 0x06054b50, true);
    [8, 10].forEach((place) => end.setUint16(place, count, true));
    end.setUint32(12, size, true);
    end.setUint32(16, at, true);
    return new Blob([...chunks, ...directory, end.buffer], { type: "application/zip" });
  };

  /** The files of a zip archive, name -> text; an Error for what is none. */
  live.unzip = async (buffer) => {
    const view = new DataView(buffer);
    const found = {};
    let end = buffer.byteLength - 22;
    while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
    if (end < 0) throw new Error("expected a zip archive, and this is none");
    let at = view.getUint32(end + 16, true);
    for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
      const [method, size] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)];
      const lengths = [28, 30, 32].map((place) => view.getUint16(at + place, true));
      const name = new TextDecoder().decode(new Uint8Array(buffer, at + 46, lengths[0]));
      const local = view.getUint32(at + 42, true);
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      at += 46 + lengths[0] + lengths[1] + lengths[2];
      if (name.endsWith("/")) continue;
      const content = new Blob([new Uint8Array(buffer, start, size)]);
      const stream = method === 8 ? content.stream().pipeThrough(new DecompressionStream("deflate-raw")) : content.stream();
      if (method !== 0 && method !== 8) throw new Error(`${name}: packed in a way that pages cannot read`);
      found[name] = await new Response(stream).text();
    }
    return found;
  };
})();
