const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")/.source;
const STRING_OR_SPACE = new RegExp(`${STRING}|\\s+`, 'g');
const STRING_OR_MARK = new RegExp(`${STRING}|([,:])`, 'g');

export interface FormerBody {
  /** What was done to it: the end of the sentence "the body was changed: …". */
  readonly change: string;
  readonly body: string;
}

/** What a body may have been before software on the way changed it, likeliest first, each made when it is asked for. */
export function* formerBodies(payload: string | Uint8Array): Generator<FormerBody> {
  const text = typeof payload === 'string' ? payload : Buffer.from(payload).toString();
  for (const [change, undo] of changes) {
    for (const body of undo(text)) if (body !== text) yield { change, body };
  }
  if (typeof payload === 'string') return;
  const bytes = Buffer.from(payload);
  yield { change: 'it was converted from UTF-8 to Latin-1', body: bytes.toString('latin1') };
  yield { change: 'it was converted from UTF-8 to UTF-16', body: withoutMark(bytes.toString('utf16le')) };
}

type Change = readonly [change: string, undo: (text: string) => Iterable<string>];

const changes: readonly Change[] = [
  ['a line ending was added at its end', (text) => [text.replace(/\r?\n$/, '')]],
  ['the line ending at its end was removed', (text) => [`${text}\n`, `${text}\r\n`]],
  // Before the next one: JavaScript counts the mark as white space.
  ['a byte order mark was added', (text) => [withoutMark(text)]],
  ['white space was added around it', (text) => [text.trim()]],
  ['its JSON was parsed or written again', formerJson],
  ['its line endings were changed from CRLF to LF', (text) => [text.replace(/\r?\n/g, '\r\n')]],
  ['its line endings were changed from LF to CRLF', (text) => [text.replace(/\r\n/g, '\n')]],
  ['its byte order mark was removed', (text) => [`\uFEFF${text}`]],
  ['its UTF-8 was read as Latin-1', (text) => [Buffer.from(text, 'latin1').toString()]],
  ['its Unicode was normalised', (text) => [text.normalize('NFC'), text.normalize('NFD')]],
];

/** The same JSON in the forms that common libraries write; none when it is not JSON, or too deeply nested to write. */
function formerJson(text: string): Iterable<string> {
  try {
    const value: unknown = JSON.parse(text);
    return new Set([
      ...(typeof value === 'string' ? [value] : []),
      ...oneLine(text, value),
      ...indented(value),
    ]);
  } catch {
    return [];
  }
}

/** Without line breaks, spaced or not, with each habit of escaping. The text given keeps its numbers and escapes. */
function oneLine(text: string, value: unknown): string[] {
  return [toCompact(text), JSON.stringify(value)]
    .flatMap((compact) => [compact, toSpaced(compact)])
    .flatMap((json) => [
      json,
      escapeNonAscii(json),
      escapeNonAscii(json).replaceAll('/', '\\/'),
      escapeHtml(json),
    ]);
}

function indented(value: unknown): string[] {
  return [2, 4, '\t']
    .map((indent) => JSON.stringify(value, null, indent))
    .flatMap((json) => [json, `${json}\n`]);
}

function toCompact(json: string): string {
  return json.replace(STRING_OR_SPACE, '$1');
}

/** As Python's `json.dumps` writes it. */
function toSpaced(compactJson: string): string {
  return compactJson.replace(STRING_OR_MARK, (part, text) => (text === undefined ? `${part} ` : part));
}

/** As Python and PHP do. */
function escapeNonAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, toEscape);
}

/** As Go does. */
function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, toEscape);
}

function toEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
