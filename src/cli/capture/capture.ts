/** Errors of recordings. */
import { SvcError } from '../../errors.ts';
import type { Problem } from '../../validation/validate.ts';

/** @param problem sentence without a period */
export function createCaptureError(
  file: string,
  position: string,
  problem: string,
  hint = 'Correct the file. docs/exporting.md describes the formats.',
): SvcError {
  return new SvcError('usage', `${file}, ${position}: ${problem}. Nothing was changed.`, { hint });
}

export function describeProblem({ path, problem }: Problem): string {
  return `${path || 'it'} ${problem}`;
}
