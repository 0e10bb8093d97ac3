/** Reads the deliveries of `svc deliveries export --format ndjson`. */
import * as v from 'valibot';
import { Timestamp } from '../../contract/fields.ts';
import { findProblem } from '../../contract/validate.ts';
import { isJson } from '../../domain/json.ts';
import { type CapturedRequest, createCaptureError, describeProblem } from './capture.ts';

/** The fields that an import needs. */
const Line = v.object({ created_at: Timestamp, body: v.string() });

export function readNdjson(text: string, file: string): CapturedRequest[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const position = `line ${index + 1}`;
    if (!isJson(line)) throw createCaptureError(file, position, 'it is not JSON');
    const delivery: unknown = JSON.parse(line);
    const problem = findProblem(Line, delivery);
    if (problem !== null) throw createCaptureError(file, position, describeProblem(problem));
    const { created_at: createdAt, body } = v.parse(Line, delivery);
    return [{ position, at: Date.parse(createdAt), body, createdId: null }];
  });
}
