/** Errors of recordings. */
import { SvcError } from '../../errors.ts';
import type { Problem } from '../../validation/validate.ts';

const FORMATS = 'Pass HAR, or NDJSON from svc deliveries export.';

/** @param problem sentence without a period */
export function createCaptureError(
  file: string,
  position: string,
  problem: string,
  hint = FORMATS,
): SvcError {
  return new SvcError('usage', `${file}, ${position}: ${problem}.`, { hint });
}

export function createFormatError(file: string): SvcError {
  return new SvcError('usage', `${file} is not valid HAR or NDJSON.`, { hint: FORMATS });
}

export function describeProblem({ path, problem }: Problem): string {
  return `${path || 'the value'} ${problem}`;
}
