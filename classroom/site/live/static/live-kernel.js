// Python in a Worker: started from what scripts deliver or, if the reader agrees, from Pyodide's servers; asked by
// messages; ended by force. Pages from file:// can fetch nothing, so the Worker is a Blob and its files are base64.
(() => {
  "use strict";
  const live = window.KuiperLive;
  const parts = {}; // key -> pieces of base64, or bytes that were fetched
  const waiting = new Map(); // number of a request -> {done, failed, tell}
  let worker = null;
  let starting = null;
  let number = 0;
  let stops = 0;

  live.deliver = (key, place, text) => { (parts[key] ??= [])[place] = text; };

  /** Runs in the Worker, as text: it sees nothing of this page. */
  function inWorker() {
    const fetchHere = self.fetch.bind(self);
    self.importScripts = () => { throw new TypeError("module worker"); }; // Pyodide refuses classic workers
    let kernel = null;

    async function bytes({ content, packed }) {
      if (typeof content !== "string") return content;
      const raw = await fetchHere(`data:application/octet-stream;base64,${content}`);
      const stream = packed ? raw.body : raw.body.pipeThrough(new DecompressionStream("gzip"));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    }

    async function start(files, mounted) {
      const at = {};
      for (const key of Object.keys(files)) at[key] = await bytes(files[key]);
      const module = (key) => import(URL.createObjectURL(new Blob([at[key]], { type: "text/javascript" })));
      const types = { wasm: "application/wasm", stdlib: "application/zip" };
      self.fetch = async (address, options) => {
        const asked = String(address?.url ?? address);
        const key = asked.endsWith(".wasm") ? "wasm" : asked.endsWith("stdlib.zip") ? "stdlib" : null;
        return key ? new Response(at[key], { headers: { "Content-Type": types[key] } }) : fetchHere(address, options);
      };
      const { loadPyodide } = await module("loader");
      const python = await loadPyodide({
        indexURL: "https://here.invalid/",
        createPyodideModule: (await module("asm")).default,
        lockFileContents: JSON.parse(new TextDecoder().decode(at.lock)),
        stdLibURL: "https://here.invalid/python_stdlib.zip",
        stdin: () => null,
        stdout: () => {},
        stderr: () => {},
      });
      python.unpackArchive(at.numpy, "wheel", { extractDir: "/lib/python3.14/site-packages" });
      for (const key of mounted) python.unpackArchive(at[key], "zip", { extractDir: "/" });
      python.runPython("import importlib, sys; importlib.invalidate_caches(); sys.path[:0] = ['/course', '/packages']");
      const tell = (said) => postMessage({ said });
      python.globals.set("tell", tell);
      kernel = python.runPython("from classroom.live.kernel import PageKernel; PageKernel(tell)");
    }

    self.onmessage = async ({ data }) => {
      try {
        if (data.files) await start(data.files, data.mounted);
        else postMessage({ number: data.number, answer: JSON.parse(kernel.answer(JSON.stringify(data.request))) });
        if (data.files) postMessage({ ready: true });
      } catch (error) {
        postMessage({ number: data.number, failed: String(error.message ?? error).trim().slice(-2000) });
      }
    };
  }

  function arrived({ data }) {
    if (data.said !== undefined) {
      for (const one of waiting.values()) one.tell(data.said);
      return;
    }
    const one = waiting.get(data.number);
    waiting.delete(data.number);
    if (data.failed !== undefined) one?.failed(new Error(data.failed));
    else one?.done(data.answer);
  }

  async function delivered(keys, progress) {
    const names = keys.filter((key) => !(parts[key] instanceof Uint8Array)).flatMap((key) => live.config.parts[key]);
    for (const [place, name] of names.entries()) {
      await live.load(name);
      progress((place + 1) / names.length);
    }
  }

  async function fetched(progress) {
    const files = live.config.servers.filter((file) => !parts[file.key]);
    const total = files.reduce((sum, file) => sum + file.size, 0);
    let before = 0;
    for (const file of files) {
      let response;
      try {
        response = await fetch(file.url, { integrity: file.integrity, credentials: "omit", referrerPolicy: "no-referrer" });
      } catch (error) {
        throw new Error(`${file.url}: it cannot be had, or is not the file that was expected (${error.message})`);
      }
      if (!response.ok) throw new Error(`${file.url}: the server answered ${response.status}`);
      parts[file.key] = new Uint8Array(await response.arrayBuffer());
      before += file.size;
      progress(before / total);
    }
  }

  const content = (key) =>
    parts[key] instanceof Uint8Array
      ? { content: parts[key], packed: true }
      : { content: parts[key].join(""), packed: live.config.packed.includes(key) };

  live.hasRuntime = () => live.config.runtime.every((key) => live.config.parts[key] || parts[key]);
  live.sizeToFetch = () => live.config.servers.reduce((sum, file) => sum + file.size, 0);

  /** Start Python with these networks; progress(share, words). The same promise for all who ask while it starts. */
  live.start = (models, progress = () => {}) => {
    starting ??= begin(models, progress).catch((error) => {
      if (error.message !== "stopped") live.stop();
      throw error;
    });
    return starting;
  };

  async function begin(models, told) {
    const before = stops;
    const progress = (share, words) => { // where a start that was stopped comes to its end
      if (stops !== before) throw new Error("stopped");
      told(share, words);
    };
    const mounted = ["course", ...models.map((name) => `model-${name}`)];
    progress(0, "Loading Python");
    if (live.config.runtime.every((key) => live.config.parts[key])) {
      await delivered([...live.config.runtime, ...mounted], (share) => progress(0.6 * share, "Loading Python"));
    } else {
      await fetched((share) => progress(0.5 * share, "Fetching Python"));
      await delivered(mounted, (share) => progress(0.5 + 0.1 * share, "Loading the course"));
    }
    progress(0.65, "Starting Python");
    const address = URL.createObjectURL(new Blob([`(${inWorker})()`], { type: "text/javascript" }));
    const made = new Worker(address);
    worker = made;
    await new Promise((done, failed) => {
      waiting.set(undefined, { done, failed, tell: () => {} });
      made.onmessage = (message) => (message.data.ready ? done() : arrived(message));
      made.onerror = (event) => failed(new Error(event.message || "the Worker does not start"));
      const files = Object.fromEntries([...live.config.runtime, ...mounted].map((key) => [key, content(key)]));
      made.postMessage({ files, mounted });
    });
    waiting.clear();
    made.onmessage = arrived;
    progress(1, "Python is ready");
  }

  live.isRunning = () => waiting.size > 0;

  /** Ask the course's kernel: a promise of its answer. `tell` gets what a cell prints meanwhile. */
  live.ask = (request, tell = () => {}) => new Promise((done, failed) => {
    number += 1;
    waiting.set(number, { done, failed, tell });
    worker.postMessage({ number, request });
  });

  /** End Python, whatever it is at. The next `start` begins anew. */
  live.stop = () => {
    stops += 1;
    worker?.terminate();
    worker = starting = null;
    for (const one of waiting.values()) one.failed(new Error("stopped"));
    waiting.clear();
  };
})();
