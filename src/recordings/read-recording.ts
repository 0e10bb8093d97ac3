/** Reads a recording: HAR from browsers and proxies, or NDJSON from `svc deliveries export` and `svc gaps record`. */
import type * as v from 'valibot';
import { SvcError } from '../domain/errors.ts';
import { isObject, tryParseJson } from '../domain/json.ts';
import { formatCount } from '../domain/message-parts.ts';
import { parse } from '../resources/validate.ts';
import {
  DeliveryLine,
  type Exchange,
  HarEntry,
  RequestLine,
  readHarEntry,
  readRequestLine,
} from './exchange.ts';

/** Size limit of a recording. docs/exporting.md states it. */
export const RECORDING_LIMIT_BYTES = 256 * 2 ** 20;

/** A request, or a delivery with its attempts. */
export interface RecordedEntry {
  /** `entry 3` of HAR, `line 12` of NDJSON. */
  readonly position: string;
  /** When the event was created if it is a delivery of svc, otherwise when the request was sent. */
  readonly createdAt: number;
  /** What was sent; empty if it cannot contain an event. */
  readonly body: string;
  /** Whether `svc gaps record` sent it. */
  readonly isProbe: boolean;
  readonly exchanges: readonly Exchange[];
}

export interface Recording {
  /** The name for messages. */
  readonly file: string;
  readonly entries: readonly RecordedEntry[];
  /** How many entries are invalid, and why the first one is; null if none is. They are skipped. */
  readonly warning: string | null;
}

/** @throws SvcError `usage` if it is neither HAR nor NDJSON, or with the first entry if all are invalid */
export function parseRecording(text: string, file: string): Recording {
  const document = tryParseJson(text);
  const isHar = isObject(document) && isObject(document.log);
  const items = isHar ? listHarEntries(document.log as { entries?: unknown }, file) : listLines(text, file);
  const problems: SvcError[] = [];
  const entries = items.flatMap(([position, item]) => {
    try {
      return readEntry(item, isHar, { file, entry: position });
    } catch (error) {
      problems.push(error as SvcError);
      return [];
    }
  });
  const [problem] = problems;
  if (problem === undefined) return { file, entries, warning: null };
  if (entries.length === 0) throw problem;
  // A browser records the traffic of all servers, and extensions of other programs can have any form.
  const skipped = formatCount(problems.length, 'invalid entry', 'invalid entries');
  return { file, entries, warning: `Skipped ${skipped}. ${problem.message}` };
}

type Items = readonly (readonly [position: string, item: unknown])[];

function listHarEntries({ entries }: { readonly entries?: unknown }, file: string): Items {
  if (!Array.isArray(entries)) throw createRecordingError(file, 'log', 'entries must be an array');
  return entries.map((item, index) => [`entry ${index + 1}`, item]);
}

function listLines(text: string, file: string): Items {
  const lines = text.split('\n').map((line, index) => [`line ${index + 1}`, line.trim()] as const);
  const [first, ...others] = lines.filter(([, line]) => line !== '');
  if (first === undefined) return [];
  // The first line of other JSON is often only a bracket.
  if (!/^\{\s*"/.test(first[1])) {
    throw new SvcError('usage', `${file} is not valid HAR or NDJSON.`, { hint: FORMATS });
  }
  return [first, ...others].map(([position, line]) => [position, tryParseJson(line)]);
}

/** @returns nothing for a request to an invalid URL */
function readEntry(
  item: unknown,
  isHar: boolean,
  position: Pick<Exchange, 'file' | 'entry'>,
): readonly RecordedEntry[] {
  const { file, entry } = position;
  const read = <Schema extends v.GenericSchema>(schema: Schema) =>
    parse(schema, item, ({ path, problem }) =>
      createRecordingError(file, entry, `${path || 'the value'} ${problem}`),
    );
  if (item === undefined) throw createRecordingError(file, entry, 'invalid JSON');
  if (isHar) return toEntry(readHarEntry(read(HarEntry), position), false);
  if (isObject(item) && 'request' in item) {
    return toEntry(readRequestLine(read(RequestLine), position), true);
  }
  const { created_at: createdAt, body, attempts } = read(DeliveryLine);
  const exchanges = attempts.flatMap(
    (attempt, index) => readRequestLine(attempt, { file, entry: `${entry}, attempt ${index + 1}` }) ?? [],
  );
  return [{ position: entry, createdAt, body, isProbe: false, exchanges }];
}

function toEntry(exchange: Exchange | null, isProbe: boolean): readonly RecordedEntry[] {
  if (exchange === null) return [];
  const { entry: position, at: createdAt, method } = exchange;
  const body = method === 'POST' ? exchange.body.content.toString() : '';
  return [{ position, createdAt, body, isProbe, exchanges: [exchange] }];
}

const FORMATS = 'Pass HAR, or NDJSON from svc deliveries export or svc gaps record.';

/** @param problem sentence without a period */
export function createRecordingError(
  file: string,
  position: string,
  problem: string,
  hint = FORMATS,
): SvcError {
  return new SvcError('usage', `${file}, ${position}: ${problem}.`, { hint });
}
