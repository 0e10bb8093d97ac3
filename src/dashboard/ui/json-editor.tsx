/** A text area for a JSON object that shows the position of a syntax error while the user types. */
import './json-editor.css';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { indentJson } from '../../domain/json.ts';
import type { JsonProblem } from '../json-problem.ts';
import { useJsonProblem } from '../use-json-problem.ts';

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
  const textArea = useRef<HTMLTextAreaElement>(null);
  const scrollTop = useSignal(0);
  const problem = useJsonProblem(value);
  const lineCount = useMemo(() => value.split('\n').length, [value]);
  const selectCharacter = (index: number) => {
    textArea.current?.focus();
    textArea.current?.setSelectionRange(index, index + 1);
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
        <LineNumbers
          textArea={textArea}
          scrollTop={scrollTop}
          count={lineCount}
          errorLine={problem?.position?.line}
        />
        <textarea
          id={id}
          ref={textArea}
          value={value}
          rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, lineCount))}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          aria-invalid={problem !== null}
          aria-describedby={`${id}-state`}
          onInput={(event) => onInput(event.currentTarget.value)}
          onScroll={({ currentTarget }) => {
            scrollTop.value = currentTarget.scrollTop;
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

/** More lines than are visible when the text area has its maximum height. */
const MAX_RENDERED_NUMBERS = 100;

interface LineNumbersProps {
  readonly textArea: RefObject<HTMLTextAreaElement | null>;
  /** Scroll position of the text area. */
  readonly scrollTop: ReadonlySignal<number>;
  readonly count: number;
  readonly errorLine: number | undefined;
}

/** The numbers of the lines in view. Rendering all of them would make typing slow in a long text. */
function LineNumbers({ textArea, scrollTop, count, errorLine }: LineNumbersProps) {
  const element = useRef<HTMLPreElement>(null);
  // At the first render there is no text area, but `scrollTop` is 0, so the height does not matter.
  const lineHeight =
    textArea.current === null ? 1 : Number.parseFloat(getComputedStyle(textArea.current).lineHeight);
  const first = Math.floor(scrollTop.value / lineHeight) + 1;
  useLayoutEffect(() => {
    // The first number is cut off as much as the first line.
    if (element.current !== null) element.current.scrollTop = scrollTop.value % lineHeight;
  }, [scrollTop.value]);
  const numbers = Array.from(
    { length: Math.min(MAX_RENDERED_NUMBERS, count - first + 1) },
    (_, index) => first + index,
  );
  return (
    <pre ref={element} aria-hidden="true" style={{ width: `calc(${String(count).length}ch + 1rem)` }}>
      {numbers.map((number) => (number === errorLine ? <strong>{`${number}\n`}</strong> : `${number}\n`))}
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
