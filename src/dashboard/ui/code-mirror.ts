/** Shows, edits and compares text with CodeMirror. The page loads this module when it first shows a text. */
import { history, historyKeymap, isolateHistory, standardKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bidiIsolates,
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { MergeView } from '@codemirror/merge';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { escapeInvisible, INVISIBLE_IN_LINES } from '../../domain/invisible-characters.ts';
import { isJson } from '../../domain/json.ts';
import type { JsonProblem } from '../json-problem.ts';

const theme = EditorView.theme({
  '&': {
    color: 'var(--text)',
    background: 'var(--surface)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius)',
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { font: 'var(--small) / 1.5 var(--mono)' },
  '.cm-content': { caretColor: 'var(--text)' },
  // The rest of a wrapped line is indented.
  '.cm-line': { paddingLeft: 'calc(6px + 4ch)', textIndent: '-4ch' },
  '.cm-gutters': { color: 'var(--muted)', background: 'var(--surface)', border: '0' },
  '.cm-foldGutter .cm-gutterElement': { minWidth: '1rem', cursor: 'pointer' },
  '.cm-foldPlaceholder': { color: 'var(--muted)', background: 'var(--raised)', border: '0' },
  '.cm-specialChar': { color: 'var(--danger)' },
  '.cm-searchMatch': { color: 'var(--warning)', background: 'var(--warning-background)' },
  '.cm-searchMatch-selected': { outline: '1px solid currentColor' },
  '.cm-panels': { color: 'var(--text)', background: 'var(--raised)' },
  '.cm-panel.cm-search label': { fontSize: 'inherit' },
  '.cm-textfield, .cm-button': {
    minHeight: '1.5rem',
    font: 'inherit',
    color: 'var(--text)',
    background: 'var(--surface)',
    border: '1px solid var(--control-border)',
    borderRadius: 'var(--radius)',
  },
  '.cm-panel.cm-search [name=close]': { minWidth: '1.5rem', minHeight: '1.5rem', color: 'var(--text)' },
  '.cm-tooltip, .cm-diagnostic': { color: 'var(--text)', background: 'var(--raised)' },
  // The signs say in text what the colors say.
  '.cm-changedLine::before': { content: '"+ "' },
  '&.cm-merge-a .cm-changedLine::before': { content: '"− "' },
  '&.cm-merge-a .cm-changedLine': { background: 'var(--danger-background)' },
  '&.cm-merge-b .cm-changedLine': { background: 'var(--success-background)' },
  '&.cm-merge-a .cm-changedText': { color: 'var(--danger)', background: 'none' },
  '&.cm-merge-b .cm-changedText': { color: 'var(--success)', background: 'none' },
  '.cm-collapsedLines': { color: 'var(--muted)', background: 'var(--raised)' },
});

/** The height of a view that scrolls itself. */
const MAX_HEIGHT = '45dvh';
const scrolling = EditorView.theme({ '&': { maxHeight: MAX_HEIGHT } });

const highlightStyle = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--success)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warning)' },
]);

const common: Extension = [
  theme,
  syntaxHighlighting(highlightStyle),
  EditorView.lineWrapping,
  search({ top: true }),
  keymap.of([...searchKeymap, ...foldKeymap, ...standardKeymap]),
];

const jsonLanguage: Extension = [json(), bidiIsolates(), codeFolding(), foldGutter()];

function named(label: string): Extension {
  // With a tabindex, checkers know that a region that scrolls can be reached with the keyboard.
  return EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' });
}

function readOnly(label: string): Extension {
  return [EditorState.readOnly.of(true), named(label)];
}

interface TextViewOptions extends TextOptions {
  /** Selects the first match of this text, and scrolls to it. Empty for none. */
  readonly searched: string;
}

interface TextOptions {
  /** What the text is, for screen readers. */
  readonly label: string;
  readonly text: string;
}

/** Invisible and bidirectional characters are shown as escapes. */
export function createTextView(parent: ShadowRoot, { label, text, searched }: TextViewOptions): EditorView {
  const shown = escapeInvisible(text);
  const view = new EditorView({
    root: parent,
    parent,
    doc: shown,
    extensions: [common, scrolling, readOnly(label), isJson(text) ? jsonLanguage : []],
  });
  const index = searched === '' ? -1 : shown.toLowerCase().indexOf(searched.toLowerCase());
  if (index >= 0) {
    const selection = { anchor: index, head: index + searched.length };
    view.dispatch({ selection, effects: EditorView.scrollIntoView(index, { y: 'center' }) });
  }
  return view;
}

export interface ComparedText {
  readonly title: string;
  readonly text: string;
}

interface ComparisonOptions {
  readonly label: string;
  readonly left: ComparedText;
  readonly right: ComparedText;
}

export function createComparison(parent: ShadowRoot, { label, left, right }: ComparisonOptions): MergeView {
  const toConfiguration = ({ title, text }: ComparedText) => ({
    doc: escapeInvisible(text),
    extensions: [common, readOnly(`${label} of ${title}`)],
  });
  const view = new MergeView({
    root: parent,
    parent,
    a: toConfiguration(left),
    b: toConfiguration(right),
    gutter: false,
    collapseUnchanged: { margin: 3, minSize: 4 },
  });
  view.dom.style.maxHeight = MAX_HEIGHT;
  return view;
}

interface EditorOptions extends TextOptions {
  readonly onInput: (text: string) => void;
}

/** Ctrl+Enter is left to the form. */
export function createJsonEditor(parent: ShadowRoot, { label, text, onInput }: EditorOptions): EditorView {
  return new EditorView({
    root: parent,
    parent,
    doc: text,
    extensions: [
      common,
      scrolling,
      jsonLanguage,
      lineNumbers(),
      history(),
      keymap.of([...historyKeymap, ...lintKeymap]),
      highlightSpecialChars({
        specialChars: INVISIBLE_IN_LINES,
        render: (code) => {
          const element = document.createElement('span');
          element.className = 'cm-specialChar';
          element.textContent = escapeInvisible(String.fromCodePoint(code));
          return element;
        },
      }),
      named(label),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) onInput(state.doc.toString());
      }),
    ],
  });
}

/** Replaces the text, unless it is the same. It can be undone separately. */
export function setText({ state, dispatch }: EditorView, insert: string): void {
  if (state.doc.toString() === insert) return;
  dispatch({
    changes: { from: 0, to: state.doc.length, insert },
    annotations: isolateHistory.of('full'),
  });
}

/** Underlines the position of a problem, and announces it. */
export function markProblem(view: EditorView, problem: JsonProblem | null): void {
  const { length } = view.state.doc;
  const from = Math.min(problem?.position?.index ?? 0, length);
  const position = { from, to: Math.min(from + 1, length) };
  const diagnostics: Diagnostic[] =
    problem === null ? [] : [{ ...position, severity: 'error', message: problem.message }];
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

export { openSearchPanel };
