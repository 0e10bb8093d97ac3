/** Reads the deliveries of `svc deliveries export --format ndjson`. */
import * as v from 'valibot';
import { Timestamp } from '../../contract/fields.ts';
import { isJson } from '../../domain/json.ts';
import { parse } from '../../validation/validate.ts';
import { type CapturedRequest, createCaptureError, describeProblem } from './capture.ts';
import { type CaptureSource, readLines } from './capture-source.ts';

/** The fields that an import needs. */
const Line = v.object({ created_at: Timestamp, body: v.string() });

/** Where a line is in its source, without its line feed. */
export interface LineRange {
  readonly offset: number;
  readonly length: number;
}

export async function* readNdjson(
  source: CaptureSource,
): AsyncGenerator<{ readonly request: CapturedRequest; readonly range: LineRange }> {
  let isFirst = true;
  for await (const { position, offset, bytes } of readLines(source)) {
    const text = toText(bytes);
    if (text === '') continue;
    if (isFirst && !text.startsWith('{')) {
      throw createCaptureError(source.name, position, 'it is neither HAR nor NDJSON');
    }
    isFirst = false;
    const range = { offset, length: bytes.length };
    yield { request: parseLine(text, position, source.name), range };
  }
}

/** Reads a line again. @throws SvcError `usage` if it was changed and is invalid */
export function readLine(
  source: CaptureSource,
  { offset, length }: LineRange,
  position: string,
): CapturedRequest {
  return parseLine(toText(source.read(offset, length)), position, source.name);
}

/** Also removes a byte order mark. */
function toText(bytes: Buffer): string {
  return bytes.toString('utf8').trim();
}

function parseLine(text: string, position: string, file: string): CapturedRequest {
  if (!isJson(text)) throw createCaptureError(file, position, 'it is not JSON');
  const delivery: unknown = JSON.parse(text);
  const { created_at: createdAt, body } = parse(Line, delivery, (problem) =>
    createCaptureError(file, position, describeProblem(problem)),
  );
  return { position, at: Date.parse(createdAt), body, createdId: null };
}
