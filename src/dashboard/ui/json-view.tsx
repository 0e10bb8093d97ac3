// biome-ignore-all lint/a11y/useFocusableInteractive: the tree has the focus and names the active line in aria-activedescendant.
/** JSON as a tree that can be folded and searched, and whose paths and values can be copied. The text never becomes markup. */
import './json-view.css';
import type { JSX, RefObject } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../domain/message-parts.ts';
import {
  findJsonLines,
  getPath,
  getValue,
  type JsonLine,
  listAncestors,
  listFoldable,
  listShownLines,
  splitAtMatches,
  splitTokens,
  toJsonLines,
} from '../json-lines.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import { rootFontSize, useVisibleRows } from './use-visible-rows.ts';

interface Props {
  /** What the text is, for screen readers. */
  readonly label: string;
  /** Indented JSON. */
  readonly text: string;
}

/** From this number of lines on, the text can be searched, and folded by level. */
const MIN_SEARCHED_LINES = 30;
/** Above this number of lines, only those in view are rendered. They do not wrap. */
const MAX_RENDERED_LINES = 300;
/** Height of a line in rem: the minimum size of what folds it (WCAG 2.5.8). */
const LINE_HEIGHT = 1.5;

export function JsonView({ label, text }: Props) {
  const lines = useMemo(() => toJsonLines(text), [text]);
  return <JsonTree key={text} label={label} lines={lines} />;
}

interface TreeProps {
  readonly label: string;
  readonly lines: readonly JsonLine[];
}

function JsonTree({ label, lines }: TreeProps) {
  const id = useId();
  const container = useRef<HTMLDivElement>(null);
  const findField = useRef<HTMLInputElement>(null);
  const [active, setActive] = useState(0);
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [query, setQuery] = useState('');
  const shown = useMemo(() => listShownLines(lines, folded), [lines, folded]);
  const matches = useMemo(() => findJsonLines(lines, query), [lines, query]);

  const fold = (indexes: readonly number[]) => {
    const newFolded = new Set(indexes);
    setFolded(newFolded);
    const hiding = listAncestors(lines, active).findLast((index) => newFolded.has(index));
    if (hiding !== undefined) setActive(hiding);
  };
  const setLineFolded = (index: number, isFolded: boolean) => {
    const others = [...folded].filter((other) => other !== index);
    fold(isFolded ? [...others, index] : others);
  };
  const openMatch = (index: number | undefined) => {
    if (index === undefined) return;
    const ancestors = new Set(listAncestors(lines, index));
    setFolded(new Set([...folded].filter((other) => !ancestors.has(other))));
    setActive(index);
  };
  const search = (newQuery: string) => {
    setQuery(newQuery);
    const found = findJsonLines(lines, newQuery);
    openMatch(found.find((index) => index >= active) ?? found[0]);
  };
  const navigate = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey) && findField.current !== null) {
      event.preventDefault();
      findField.current.focus();
      findField.current.select();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isFolded = folded.has(active);
    const target = findTarget(event.key, { lines, shown, active, isFolded });
    if (target === null) return;
    event.preventDefault();
    if (typeof target === 'number') setActive(target);
    else setLineFolded(active, target === 'fold');
  };
  const renderLine = (index: number) => (
    <Line
      key={index}
      id={`${id}-${index}`}
      lines={lines}
      index={index}
      isActive={index === active}
      isFolded={folded.has(index)}
      query={query}
      onSelect={() => setActive(index)}
      onFold={(isFolded) => setLineFolded(index, isFolded)}
    />
  );
  const rows = { id, label, container, shown, active, renderLine, onKeyDown: navigate };
  return (
    <div class="json">
      {lines.length >= MIN_SEARCHED_LINES && (
        <div class="row json-toolbar">
          <FindField
            field={findField}
            label={label}
            query={query}
            matches={matches}
            active={active}
            onSearch={search}
            onOpen={openMatch}
            onLeave={() => container.current?.focus()}
          />
          <LevelMenu label={label} lines={lines} onSelect={(level) => fold(listFoldable(lines, level))} />
        </div>
      )}
      {lines.length > MAX_RENDERED_LINES ? <WindowedLines {...rows} /> : <AllLines {...rows} />}
      <div class="row json-selected">
        <SelectedLine lines={lines} index={active} />
      </div>
    </div>
  );
}

interface NavigationState {
  readonly lines: readonly JsonLine[];
  readonly shown: readonly number[];
  readonly active: number;
  readonly isFolded: boolean;
}

/** The line that a key moves to, or what it does to the active line, following the ARIA practices for trees. */
function findTarget(
  key: string,
  { lines, shown, active, isFolded }: NavigationState,
): number | 'fold' | 'unfold' | null {
  const { end = null, parent = null } = lines[active] ?? {};
  const items = shown.filter((index) => lines[index]?.isClosing === false);
  const position = items.indexOf(active);
  switch (key) {
    case 'ArrowDown':
      return items[position + 1] ?? active;
    case 'ArrowUp':
      return items[position - 1] ?? active;
    case 'Home':
      return 0;
    case 'End':
      return items.at(-1) ?? active;
    case 'ArrowRight':
      if (end === null) return active;
      return isFolded ? 'unfold' : active + 1;
    case 'ArrowLeft':
      return end !== null && !isFolded ? 'fold' : (parent ?? active);
    case 'Enter':
    case ' ':
      if (end === null) return active;
      return isFolded ? 'unfold' : 'fold';
    default:
      return null;
  }
}

interface RowsProps {
  readonly id: string;
  readonly label: string;
  readonly container: RefObject<HTMLDivElement | null>;
  readonly shown: readonly number[];
  readonly active: number;
  readonly renderLine: (index: number) => JSX.Element;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function AllLines({ id, label, container, shown, active, renderLine, onKeyDown }: RowsProps) {
  useScrollToActive(active, () => {
    const row = document.getElementById(`${id}-${active}`);
    if (row !== null) scrollToRow(container, row.offsetTop, row.offsetHeight);
  });
  return (
    <div
      ref={container}
      class="json-box"
      role="tree"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={`${id}-${active}`}
      onKeyDown={onKeyDown}
    >
      <pre>{shown.map(renderLine)}</pre>
    </div>
  );
}

function WindowedLines({ id, label, container, shown, active, renderLine, onKeyDown }: RowsProps) {
  const lineHeight = LINE_HEIGHT * rootFontSize;
  const { renderedRange, isActiveRendered } = useVisibleRows(container, lineHeight, {
    items: shown,
    getKey: String,
    active: String(active),
  });
  useScrollToActive(active, () => scrollToRow(container, shown.indexOf(active) * lineHeight, lineHeight));
  const { first, last } = renderedRange.value;
  return (
    <div
      ref={container}
      class="json-box json-windowed"
      role="tree"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={isActiveRendered.value ? `${id}-${active}` : undefined}
      onKeyDown={onKeyDown}
    >
      <pre style={{ height: `${shown.length * lineHeight}px`, paddingTop: `${first * lineHeight}px` }}>
        {shown.slice(first, last + 1).map(renderLine)}
      </pre>
    </div>
  );
}

/** Scrolls when another line becomes active, but not at the start. */
function useScrollToActive(active: number, scroll: () => void): void {
  const previous = useRef(active);
  useLayoutEffect(() => {
    if (previous.current !== active) scroll();
    previous.current = active;
  }, [active]);
}

/** Scrolls a row into view, with space for the lines around it. */
function scrollToRow({ current: box }: RowsProps['container'], top: number, height: number): void {
  if (box === null) return;
  const isVisible = top >= box.scrollTop && top + height <= box.scrollTop + box.clientHeight;
  if (isVisible) return;
  const isNear = Math.abs(top - box.scrollTop) < 2 * box.clientHeight;
  if (!isNear) box.scrollTop = top - box.clientHeight / 2;
  else box.scrollTop = top < box.scrollTop ? top : top + height - box.clientHeight;
}

interface LineProps {
  readonly id: string;
  readonly lines: readonly JsonLine[];
  readonly index: number;
  readonly isActive: boolean;
  readonly isFolded: boolean;
  readonly query: string;
  readonly onSelect: () => void;
  readonly onFold: (isFolded: boolean) => void;
}

function Line({ id, lines, index, isActive, isFolded, query, onSelect, onFold }: LineProps) {
  const line = lines[index];
  const text = line?.text ?? '';
  const highlighted = useMemo(() => highlight(text, query), [text, query]);
  if (line === undefined || line.isClosing)
    return (
      <span class="json-line">
        {highlighted}
        {'\n'}
      </span>
    );
  const { end, level, position, count, parent } = line;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys.
    <span
      id={id}
      class="json-line"
      role="treeitem"
      aria-level={level + 1}
      aria-posinset={position + 1}
      aria-setsize={parent === null ? 1 : lines[parent]?.count}
      aria-selected={isActive}
      aria-expanded={end === null ? undefined : !isFolded}
      onClick={onSelect}
    >
      {end !== null && (
        // Enter, Left and Right of the tree do the same.
        <span
          class="json-fold"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onFold(!isFolded);
          }}
        />
      )}
      {highlighted}
      {end !== null && isFolded && (
        <span class="muted">
          {` ${formatCount(count, text.endsWith('{') ? 'field' : 'item')} `}
          {lines[end]?.text.trimStart()}
        </span>
      )}
      {'\n'}
    </span>
  );
}

function highlight(line: string, query: string) {
  return splitTokens(line).map(({ kind, text }) =>
    kind === 'punctuation' ? (
      text
    ) : (
      <span class={kind}>
        {splitAtMatches(text, query).map((piece, index) =>
          index % 2 === 1 ? <mark key={String(index)}>{piece}</mark> : piece,
        )}
      </span>
    ),
  );
}

interface FindProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly query: string;
  readonly matches: readonly number[];
  readonly active: number;
  readonly onSearch: (query: string) => void;
  /** Opens a match. */
  readonly onOpen: (index: number | undefined) => void;
  readonly onLeave: () => void;
}

function FindField({ field, label, query, matches, active, onSearch, onOpen, onLeave }: FindProps) {
  const openNext = () => onOpen(matches.find((index) => index > active) ?? matches[0]);
  const openPrevious = () => onOpen(matches.findLast((index) => index < active) ?? matches.at(-1));
  const position = matches.indexOf(active) + 1;
  const count = formatCount(matches.length, 'matching line');
  return (
    <>
      <input
        ref={field}
        type="search"
        aria-label={`Find in ${label}`}
        placeholder="Find"
        value={query}
        onInput={(event) => onSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'Escape') return;
          event.preventDefault();
          if (event.key === 'Enter') return event.shiftKey ? openPrevious() : openNext();
          onSearch('');
          onLeave();
        }}
      />
      <button
        type="button"
        class="json-previous"
        aria-label="Previous match"
        title="Previous match (Shift+Enter)"
        disabled={matches.length === 0}
        onClick={openPrevious}
      >
        <Icon name="back" />
      </button>
      <button
        type="button"
        class="json-next"
        aria-label="Next match"
        title="Next match (Enter)"
        disabled={matches.length === 0}
        onClick={openNext}
      >
        <Icon name="back" />
      </button>
      <span class="muted" role="status">
        {query !== '' && (position === 0 ? count : `${position} of ${count}`)}
      </span>
    </>
  );
}

interface LevelProps {
  readonly label: string;
  readonly lines: readonly JsonLine[];
  /** Folds the objects and arrays that have this number of others around them. */
  readonly onSelect: (level: number) => void;
}

function LevelMenu({ label, lines, onSelect }: LevelProps) {
  const depth = useMemo(() => lines.reduce((depth, { level }) => Math.max(depth, level), 0), [lines]);
  return (
    <select
      class="push-right"
      aria-label={`Levels of ${label}`}
      value=""
      onChange={({ currentTarget }) => {
        onSelect(Number(currentTarget.value));
        // Objects can be folded one by one afterwards, so no level stays selected.
        currentTarget.value = '';
      }}
    >
      <option value="" disabled>
        Levels
      </option>
      {Array.from({ length: depth }, (_, index) => index + 1).map((level) => (
        <option key={level} value={level}>
          {level === depth ? 'Unfold all' : `Show ${formatCount(level, 'level')}`}
        </option>
      ))}
    </select>
  );
}

function SelectedLine({ lines, index }: { readonly lines: readonly JsonLine[]; readonly index: number }) {
  const path = getPath(lines, index);
  if (path === '') return <span class="muted">Select a line to copy its path or value.</span>;
  return (
    <>
      <code>{path}</code>
      <div class="row push-right">
        <CopyButton key={`path ${index}`} what="path" text={path} label="Copy path" />
        <CopyButton
          key={`value ${index}`}
          what="value"
          text={() => getValue(lines, index)}
          label="Copy value"
        />
      </div>
    </>
  );
}
