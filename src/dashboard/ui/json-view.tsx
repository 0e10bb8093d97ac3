// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable with the keyboard.
/** JSON with syntax highlighting. The text never becomes markup. */
import './json-view.css';
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { type JsonLine, listShownLines, toJsonLines } from '../json-lines.ts';
import { rootFontSize, useVisibleRows } from './use-visible-rows.ts';

interface Props {
  /** What the text is, for screen readers. */
  readonly label: string;
  /** Indented JSON. */
  readonly text: string;
}

/** From this number of lines on, objects and arrays can be folded. */
const MIN_FOLDABLE_LINES = 30;
/** Above this number of lines, only those in view are rendered. They do not wrap. */
const MAX_RENDERED_LINES = 300;
/** Height of a line in rem: the minimum size of the button that folds it (WCAG 2.5.8). */
const LINE_HEIGHT = 1.5;

export function JsonView({ label, text }: Props) {
  const lines = useMemo(() => toJsonLines(text), [text]);
  if (lines.length < MIN_FOLDABLE_LINES) return <pre class="json">{highlight(text)}</pre>;
  return <FoldableJson key={text} label={label} lines={lines} />;
}

interface FoldableProps {
  readonly label: string;
  readonly lines: readonly JsonLine[];
}

function FoldableJson({ label, lines }: FoldableProps) {
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set<number>());
  const shown = useMemo(() => listShownLines(lines, folded), [lines, folded]);
  const toggle = (index: number) => {
    const others = [...folded].filter((other) => other !== index);
    setFolded(new Set(folded.has(index) ? others : [...others, index]));
  };
  const renderLine = (index: number) => (
    <Line key={index} lines={lines} index={index} isFolded={folded.has(index)} onToggle={toggle} />
  );
  if (lines.length > MAX_RENDERED_LINES) {
    return <WindowedLines label={label} shown={shown} renderLine={renderLine} />;
  }
  return (
    <section class="json json-box" tabIndex={0} aria-label={label}>
      <pre>{shown.map(renderLine)}</pre>
    </section>
  );
}

interface WindowedProps {
  readonly label: string;
  readonly shown: readonly number[];
  readonly renderLine: (index: number) => JSX.Element;
}

function WindowedLines({ label, shown, renderLine }: WindowedProps) {
  const container = useRef<HTMLElement>(null);
  const lineHeight = LINE_HEIGHT * rootFontSize;
  const { renderedRange } = useVisibleRows(container, lineHeight, {
    items: shown,
    getKey: String,
    active: null,
  });
  const { first, last } = renderedRange.value;
  return (
    <section ref={container} class="json json-box json-windowed" tabIndex={0} aria-label={label}>
      <pre style={{ height: `${shown.length * lineHeight}px`, paddingTop: `${first * lineHeight}px` }}>
        {shown.slice(first, last + 1).map(renderLine)}
      </pre>
    </section>
  );
}

interface LineProps {
  readonly lines: readonly JsonLine[];
  readonly index: number;
  readonly isFolded: boolean;
  readonly onToggle: (index: number) => void;
}

function Line({ lines, index, isFolded, onToggle }: LineProps) {
  const { text = '', end = null } = lines[index] ?? {};
  return (
    <span class="json-line">
      {end !== null && (
        <button
          type="button"
          class="json-fold"
          aria-expanded={!isFolded}
          // Line numbers start at 1. The closing line is hidden too.
          aria-label={`Lines ${index + 2} to ${end + 1}`}
          onClick={() => onToggle(index)}
        />
      )}
      {highlight(text)}
      {end !== null && isFolded && (
        <span class="muted">
          {` ${end - index - 1} lines `}
          {lines[end]?.text.trimStart()}
        </span>
      )}
      {'\n'}
    </span>
  );
}

/** A string with the colon that follows if it is a name; or a number, `true`, `false` or `null`. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g;

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
