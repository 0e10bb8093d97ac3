/**
 * JSON as text. A payload must reach the receiver with its numbers as they were written (`12.50`, `1e400`,
 * 2^53 + 1), which no parsed value can promise; so the text is checked, cut out and carried along.
 */
import { SvcError } from '../errors.ts';

/** Deeper documents are refused: common parsers of receivers give up not far beyond. */
export const MAX_JSON_DEPTH = 128;

export interface JsonObjectText {
  /** The parsed members, for validation. */
  readonly value: Record<string, unknown>;
  /** The text of a top-level member's value without insignificant white space; undefined when there is none. */
  memberText(name: string): string | undefined;
}

/**
 * Parses the text of a JSON object.
 * @throws SvcError `invalid_request` when it is not JSON, not an object, names a member twice (parsers disagree on
 *   which one counts), or nests deeper than {@link MAX_JSON_DEPTH}.
 */
export function parseJsonObject(text: string): JsonObjectText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SvcError('invalid_request', `The body is not JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SvcError('invalid_request', 'The body must be a JSON object.');
  }
  const members = scanMembers(text);
  return {
    value: value as Record<string, unknown>,
    memberText: (name) => {
      const range = members.get(name);
      return range && compactJson(text.slice(range.start, range.end));
    },
  };
}

/** The same JSON text without white space between its tokens. `text` is known to be valid. */
export function compactJson(text: string): string {
  let compact = '';
  let keptTo = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === charCode.quote) i = endOfString(text, i);
    else if (code <= charCode.space) {
      compact += text.slice(keptTo, i);
      keptTo = i + 1;
    }
  }
  return compact + text.slice(keptTo);
}

interface Range {
  readonly start: number;
  end: number;
}

/** One open object or array during the scan. */
interface Frame {
  readonly keys: Set<string> | null;
  /** The key or index being read, for messages. */
  at: string | number;
}

const charCode = {
  space: 32,
  quote: 34,
  comma: 44,
  colon: 58,
  open: 91,
  backslash: 92,
  close: 93,
  openBrace: 123,
  closeBrace: 125,
};

/** Ranges of the top-level members of text that is known to be a valid JSON object. */
function scanMembers(text: string): Map<string, Range> {
  const members = new Map<string, Range>();
  const frames: Frame[] = [];
  let expectKey = false;
  let member: Range | null = null;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const frame = frames.at(-1);
    if (code === charCode.quote) {
      const end = endOfString(text, i);
      if (expectKey && frame?.keys) {
        readKey(frames, frame, text.slice(i, end + 1));
        expectKey = false;
      }
      i = end;
    } else if (code === charCode.colon && frames.length === 1 && frame) {
      member = { start: i + 1, end: i + 1 };
      members.set(String(frame.at), member);
    } else if (code === charCode.openBrace || code === charCode.open) {
      expectKey = code === charCode.openBrace;
      frames.push({ keys: expectKey ? new Set() : null, at: 0 });
      if (frames.length > MAX_JSON_DEPTH) {
        throw new SvcError('invalid_request', `The body nests deeper than ${MAX_JSON_DEPTH} levels.`);
      }
    } else if (code === charCode.comma && frame) {
      if (frames.length === 1 && member) member.end = i;
      expectKey = frame.keys !== null;
      if (typeof frame.at === 'number') frame.at++;
    } else if (code === charCode.closeBrace || code === charCode.close) {
      if (frames.length === 1 && member) member.end = i;
      frames.pop();
      expectKey = false;
    }
  }
  return members;
}

function readKey(frames: readonly Frame[], frame: Frame, token: string): void {
  const key: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
  frame.at = key;
  if (frame.keys?.has(key)) {
    throw new SvcError('invalid_request', `The body names a member twice: ${pathOf(frames)}.`);
  }
  frame.keys?.add(key);
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; ; i++) {
    const code = text.charCodeAt(i);
    if (code === charCode.backslash) i++;
    else if (code === charCode.quote) return i;
  }
}

/** Whether text is JSON at all. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** `payload.items[2].sku` */
function pathOf(frames: readonly Frame[]): string {
  return frames
    .map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`))
    .join('')
    .replace(/^\./, '');
}
