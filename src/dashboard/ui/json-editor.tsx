/** A text area for a JSON object that shows the position of a syntax error while the user types. */
import './json-editor.css';
import type { RefObject } from 'preact';
import { useId, useMemo, useRef } from 'preact/hooks';
import { indentJson } from '../../domain/json.ts';
import { findJsonProblem, type JsonProblem } from '../json-problem.ts';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  /** The text that "Reset" restores; without it, the editor has no "Reset" button. */
  readonly original?: string;
}

const MIN_ROWS = 8;
const MAX_ROWS = 24;

export function JsonEditor({ label, value, onInput, original }: Props) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const lineNumbers = useRef<HTMLPreElement>(null);
  const problem = useMemo(() => findJsonProblem(value), [value]);
  const lineCount = value.split('\n').length;
  const selectCharacter = (index: number) => {
    field.current?.focus();
    field.current?.setSelectionRange(index, index + 1);
  };
  return (
    <div class="stack">
      <div class="row json-editor-head">
        <label for={id}>{label}</label>
        <button type="button" disabled={problem !== null} onClick={() => onInput(indentJson(value))}>
          Format
        </button>
        {original !== undefined && (
          <button type="button" disabled={value === original} onClick={() => onInput(original)}>
            Reset
          </button>
        )}
      </div>
      <div class="json-editor-text">
        <LineNumbers element={lineNumbers} count={lineCount} errorLine={problem?.position?.line} />
        <textarea
          id={id}
          ref={field}
          value={value}
          rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, lineCount))}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          aria-invalid={problem !== null}
          aria-describedby={`${id}-state`}
          onInput={(event) => onInput(event.currentTarget.value)}
          onScroll={({ currentTarget }) => {
            if (lineNumbers.current !== null) lineNumbers.current.scrollTop = currentTarget.scrollTop;
          }}
        />
      </div>
      <p id={`${id}-state`} class="json-editor-state" aria-live="polite">
        {problem === null ? (
          <span class="muted">Valid JSON. Numbers are sent exactly as written.</span>
        ) : (
          <ProblemMessage problem={problem} onSelect={selectCharacter} />
        )}
      </p>
    </div>
  );
}

interface LineNumbersProps {
  readonly element: RefObject<HTMLPreElement | null>;
  readonly count: number;
  readonly errorLine: number | undefined;
}

function LineNumbers({ element, count, errorLine = count + 1 }: LineNumbersProps) {
  const numbers = Array.from({ length: count }, (_, index) => `${index + 1}\n`);
  return (
    <pre ref={element} aria-hidden="true">
      {numbers.slice(0, errorLine - 1).join('')}
      <strong>{numbers[errorLine - 1]}</strong>
      {numbers.slice(errorLine).join('')}
    </pre>
  );
}

interface ProblemProps {
  readonly problem: JsonProblem;
  readonly onSelect: (index: number) => void;
}

function ProblemMessage({ problem: { message, position }, onSelect }: ProblemProps) {
  if (position === null) return <span class="error-text json-editor-error">{message}</span>;
  return (
    <span class="error-text json-editor-error">
      <button type="button" class="subtle" onClick={() => onSelect(position.index)}>
        Line {position.line}, column {position.column}
      </button>
      : {message}
    </span>
  );
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g;

/** JSON with syntax highlighting. The text never becomes markup. */
export function JsonHighlight({ text }: { readonly text: string }) {
  return <pre class="json">{highlight(text)}</pre>;
}

function highlight(text: string) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, string, colon, literal] = match;
    parts.push(text.slice(end, match.index));
    if (string !== undefined && colon !== undefined) {
      parts.push(<span class="name">{string}</span>, colon);
    } else {
      parts.push(<span class={literal === undefined ? 'string' : 'literal'}>{token}</span>);
    }
    end = match.index + token.length;
  }
  parts.push(text.slice(end));
  return parts;
}
