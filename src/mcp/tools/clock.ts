/** The tool `clock`: shows and moves the schedule clock. */

import * as v from 'valibot';
import type { ClockMove, ClockState } from '../../contract/emulator-schemas.ts';
import { DefaultWorkspace } from '../../contract/list-filters.ts';
import { duration, Speed } from '../../validation/value-schemas.ts';
import { MAX_SHOWN_DELIVERIES, summarizeAttempt } from '../summarize-delivery.ts';
import { defineTool, formatCall, requireArgument, type ToolResult } from '../tool.ts';

export const clockTool = defineTool({
  name: 'clock',
  description:
    'Show or move the schedule clock, which decides when retries are due. advance, next and settle send what becomes due',
  hints: { destructiveHint: false },
  nextAfterError: formatCall('clock', { action: 'show' }),
  input: v.strictObject({
    action: v.picklist(['show', 'freeze', 'resume', 'speed', 'advance', 'next', 'settle']),
    by: v.optional(v.pipe(duration(), v.description('For advance, such as 35m'))),
    speed: v.optional(v.pipe(Speed, v.description('Schedule seconds per second'))),
    ...DefaultWorkspace,
  }),
  output: { now: 'string', attempts: 'array' },
  async run({ action, by, speed, ...workspace }, { emulator: { control }, signal }) {
    switch (action) {
      case 'show':
        return toStateResult(await control.getClock(workspace));
      case 'freeze':
        return toStateResult(await control.setClock({ ...workspace, frozen: true }));
      case 'resume':
        return toStateResult(await control.setClock({ ...workspace, frozen: false }));
      case 'speed':
        return toStateResult(
          await control.setClock({ ...workspace, speed: requireArgument(speed, 'speed', 60) }),
        );
      case 'advance':
        return toMoveResult(
          await control.advanceClock({ ...workspace, ms: requireArgument(by, 'by', '35m') }, signal),
        );
      case 'next':
        return toMoveResult(await control.nextClock(workspace, signal));
      case 'settle':
        return toMoveResult(await control.settleClock(workspace, signal));
    }
  },
});

function toStateResult({ now, speed, next_due_at }: ClockState): ToolResult {
  return {
    now,
    speed,
    next_due_at,
    next: next_due_at === null ? formatCall('status') : formatCall('clock', { action: 'next' }),
  };
}

function toMoveResult({ attempts, pending, paused, ...state }: ClockMove): ToolResult {
  const lastAttempts = new Map(attempts.map((attempt) => [attempt.delivery_id, attempt]));
  const failure = [...lastAttempts.values()].findLast(({ outcome }) => outcome !== 'succeeded');
  return {
    ...toStateResult(state),
    sent: attempts.length,
    failed: attempts.filter(({ outcome }) => outcome !== 'succeeded').length,
    pending,
    ...(paused.length > 0 && { paused }),
    attempts: attempts.slice(-MAX_SHOWN_DELIVERIES).map(summarizeAttempt),
    ...(failure && { next: formatCall('explain', { id: failure.delivery_id }) }),
  };
}
