/** Reads the deliveries of `svc deliveries export --format ndjson`. */
import type * as v from 'valibot';
import { decodeText } from '../../domain/decode-text.ts';
import { tryParseJson } from '../../domain/json.ts';
import { SvcError } from '../../errors.ts';
import { parse } from '../../validation/validate.ts';
import { createCaptureError, createFormatError, describeProblem } from './capture.ts';
import { type CaptureSource, readLines } from './capture-source.ts';

/** Where a line is in its source, without its line feed. */
export interface LineRange {
  readonly offset: number;
  readonly length: number;
}

/** @param schema the fields of a delivery that are needed. @throws SvcError `usage` with the first invalid line; `interrupted` */
export async function* readNdjson<Schema extends v.GenericSchema>(
  source: CaptureSource,
  schema: Schema,
  signal: AbortSignal,
): AsyncGenerator<{
  readonly position: string;
  readonly range: LineRange;
  readonly delivery: v.InferOutput<Schema>;
}> {
  let isFirst = true;
  for await (const { position, offset, bytes } of readLines(source)) {
    if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
    const text = decodeText(bytes, `${source.name}, ${position}`).trim();
    if (text === '') continue;
    // The first line of other JSON is often only a bracket.
    if (isFirst && !/^\{\s*"/.test(text)) throw createFormatError(source.name);
    isFirst = false;
    const range = { offset, length: bytes.length };
    yield { position, range, delivery: parseLine(text, schema, position, source.name) };
  }
}

/** Reads a line again. @throws SvcError `usage` if it was changed and is invalid */
export function readLine<Schema extends v.GenericSchema>(
  source: CaptureSource,
  schema: Schema,
  { offset, length }: LineRange,
  position: string,
): v.InferOutput<Schema> {
  const text = decodeText(source.read(offset, length), `${source.name}, ${position}`);
  return parseLine(text.trim(), schema, position, source.name);
}

function parseLine<Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
  position: string,
  file: string,
): v.InferOutput<Schema> {
  const value = tryParseJson(text);
  if (value === undefined) throw createCaptureError(file, position, 'invalid JSON');
  return parse(schema, value, (problem) => createCaptureError(file, position, describeProblem(problem)));
}
