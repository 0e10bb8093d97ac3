/** An editor for a JSON object that shows the position of an error while the user types. */
import type { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'preact/hooks';
import { indentJson } from '../../domain/json-text.ts';
import { findJsonProblem } from '../json-problem.ts';
import { CodeMirrorHost, codeMirror } from './code-mirror-host.tsx';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  /** The text that "Reset" restores. */
  readonly original: string;
  readonly autofocus?: boolean;
}

export function JsonEditor({ label, value, onInput, original, autofocus = false }: Props) {
  const view = useRef<EditorView>(null);
  const latestOnInput = useRef(onInput);
  latestOnInput.current = onInput;
  const problem = findJsonProblem(value);
  const { value: loaded } = codeMirror;
  useEffect(() => {
    if (autofocus) view.current?.focus();
  }, [loaded]);
  useEffect(() => {
    if (view.current !== null) loaded?.setText(view.current, value);
  }, [value]);
  useEffect(() => {
    if (view.current !== null) loaded?.markProblem(view.current, problem);
  }, [loaded, problem]);
  return (
    <div class="stack">
      <header class="row">
        <span>{label}</span>
        <span class="row">
          <button type="button" disabled={problem !== null} onClick={() => onInput(indentJson(value))}>
            Format
          </button>
          <button type="button" disabled={value === original} onClick={() => onInput(original)}>
            Reset
          </button>
        </span>
      </header>
      <CodeMirrorHost
        text={value}
        inputs={[label]}
        create={({ createJsonEditor }, parent) => {
          const onInput = (text: string) => latestOnInput.current(text);
          view.current = createJsonEditor(parent, { label, text: value, onInput });
          return view.current;
        }}
      />
      <p role="status" class="muted" data-state={problem === null ? undefined : 'failed'}>
        {problem === null
          ? 'Valid JSON. Numbers are sent exactly as written.'
          : problem.position === null
            ? problem.message
            : `Line ${problem.position.line}, column ${problem.position.column}: ${problem.message}`}
      </p>
    </div>
  );
}
