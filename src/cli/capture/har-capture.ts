/** Reads the exchanges of a HAR file, which proxies and browsers write. */
import { type Exchange, toExchange } from '../../contract/exchange.ts';
import { HarEntry } from '../../contract/har-entry.ts';
import { decodeText } from '../../domain/decode-text.ts';
import { isObject, tryParseJson } from '../../domain/json.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { SvcError } from '../../errors.ts';
import { parse } from '../../validation/validate.ts';
import { createCaptureError, describeProblem } from './capture.ts';
import { type CaptureSource, WHOLE_LIMIT_BYTES } from './capture-source.ts';

/** `log` is the only field of a HAR document. */
const HAR_START = /^\uFEFF?\s*\{\s*"log"\s*:/;

/**
 * Skips entries without a valid URL, and with a warning invalid ones.
 * @returns null if the file is not HAR
 * @throws SvcError `usage` with the first entry if all are invalid, or if the file is too large or not UTF-8
 */
export function readHar(source: CaptureSource): Exchange[] | null {
  if (!HAR_START.test(source.read(0, 1024).toString('utf8'))) return null;
  if (source.sizeBytes > WHOLE_LIMIT_BYTES) {
    throw new SvcError(
      'usage',
      `The HAR file ${source.name} is larger than ${WHOLE_LIMIT_BYTES / 2 ** 20} MB.`,
      {
        hint: 'Split the recording into several files.',
      },
    );
  }
  const text = decodeText(source.read(0, source.sizeBytes), source.name);
  // NDJSON with several lines is not one JSON document.
  const value = tryParseJson(text);
  if (!isObject(value) || !isObject(value.log)) return null;
  const { entries } = value.log;
  if (!Array.isArray(entries)) throw createCaptureError(source.name, 'log', 'entries must be an array');
  const problems: SvcError[] = [];
  const exchanges = entries.flatMap((entry: unknown, index) => {
    const position = `entry ${index + 1}`;
    try {
      const parsed = parse(HarEntry, entry, (problem) =>
        createCaptureError(source.name, position, describeProblem(problem)),
      );
      return toExchange(parsed, source.name, position) ?? [];
    } catch (error) {
      problems.push(error as SvcError);
      return [];
    }
  });
  const [problem] = problems;
  if (problem === undefined) return exchanges;
  if (exchanges.length === 0) throw problem;
  // A browser records the traffic of all servers, and extensions of other programs can have any form.
  source.warn(
    `Skipped ${formatCount(problems.length, 'invalid entry', 'invalid entries')}. ${problem.message}`,
  );
  return exchanges;
}
