/** What the readers of capture files have in common. */

import { SvcError } from '../../errors.ts';
import type { Problem } from '../../validation/validate.ts';

/** A recorded request: a delivery to a receiver, or a request to the API of the service. */
export interface CapturedRequest {
  /** Where it is in the file: `line 12`, `entry 3`. */
  readonly position: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly body: string;
  /** ID of the event that the request created, from the response of the API. Null for a delivery. */
  readonly createdId: string | null;
}

/** @param problem sentence without a period */
export function createCaptureError(
  file: string,
  position: string,
  problem: string,
  hint = 'Correct the file. docs/exporting.md describes the formats.',
): SvcError {
  return new SvcError('usage', `${file}, ${position}: ${problem}. Nothing was imported.`, { hint });
}

export function describeProblem({ path, problem }: Problem): string {
  return `${path || 'it'} ${problem}`;
}
