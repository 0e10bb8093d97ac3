/** Operations for the schedule clock of a workspace. */
import * as v from 'valibot';
import { DAY_MS } from '../../domain/duration.ts';
import { ClockMove, ClockState } from '../emulator-schemas.ts';
import { Speed } from '../fields.ts';
import { WorkspaceFilter } from '../list-filters.ts';
import { defineOperations, wholeNumber } from '../operation.ts';

/** A hundred years: longer than any retry schedule, and still a valid date. */
export const MAX_ADVANCE_MS = 100 * 365 * DAY_MS;

export const clockOperations = defineOperations({
  getClock: {
    method: 'GET',
    path: '/clock',
    input: v.strictObject(WorkspaceFilter),
    output: ClockState,
    status: 200,
  },
  setClock: {
    method: 'PATCH',
    path: '/clock',
    input: v.strictObject({
      ...WorkspaceFilter,
      speed: v.optional(Speed),
      frozen: v.optional(v.boolean()),
    }),
    output: ClockState,
    status: 200,
  },
  advanceClock: {
    method: 'POST',
    path: '/clock/advance',
    input: v.strictObject({ ...WorkspaceFilter, ms: wholeNumber(0, MAX_ADVANCE_MS) }),
    output: ClockMove,
    status: 200,
  },
  nextClock: {
    method: 'POST',
    path: '/clock/next',
    input: v.strictObject(WorkspaceFilter),
    output: ClockMove,
    status: 200,
  },
  settleClock: {
    method: 'POST',
    path: '/clock/settle',
    input: v.strictObject(WorkspaceFilter),
    output: ClockMove,
    status: 200,
  },
});
