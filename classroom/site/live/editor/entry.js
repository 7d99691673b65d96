// The editor as one global: KuiperEditor(parent, text, {label, changed, run, first}) -> {text(), replace(text), focus(), number()}
// first() is the number of its first line; number() asks for it again.
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, highlightActiveLine, drawSelection, highlightSpecialChars } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { classHighlighter } from "@lezer/highlight";
import { python } from "@codemirror/lang-python";

window.KuiperEditor = (parent, text, { label, changed, run, first = () => 1 }) => {
  const gutter = new Compartment();
  const numbers = () => lineNumbers({ formatNumber: (line) => String(line + first() - 1) });
  const keys = [
    { key: "Shift-Enter", run: () => { run(); return true; } },
    { key: "Mod-Enter", run: () => { run(); return true; } },
    // Escape, then Tab leaves the editor
    indentWithTab,
  ];
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        gutter.of(numbers()), highlightSpecialChars(), history(), drawSelection(), indentOnInput(), bracketMatching(),
        highlightActiveLine(), indentUnit.of("    "), EditorState.tabSize.of(4), python(),
        syntaxHighlighting(classHighlighter),
        keymap.of([...keys, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace: (other) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: other } }),
    focus: () => view.focus(),
    number: () => view.dispatch({ effects: gutter.reconfigure(numbers()) }),
  };
};
