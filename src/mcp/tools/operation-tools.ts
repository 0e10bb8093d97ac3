/** The tools that are operations of the control plane: `clock`, `explain`, `faults` and `state`. */
import { resolve } from 'node:path';
import * as v from 'valibot';
import type { ClockMove, ClockState } from '../../operations/emulator-schemas.ts';
import { DefaultWorkspace } from '../../operations/page-fields.ts';
import { NewFaultInput } from '../../resources/fault.ts';
import { WorkspaceFilter } from '../../resources/list-fields.ts';
import { duration, Speed, wholeNumber } from '../../resources/value-schemas.ts';
import { JsonObject } from '../../resources/values.ts';
import { MAX_SHOWN_DELIVERIES, summarizeAttempt } from '../summarize-delivery.ts';
import { summarizeExplanation } from '../summarize-explanation.ts';
import { defineTool, formatCall, parseArguments, requireArgument, type ToolResult } from '../tool.ts';

const showStatus = formatCall('status');

export const clockTool = defineTool({
  name: 'clock',
  description:
    'Show or move the schedule clock, which decides when retries are due. advance, next and settle send what becomes due',
  hints: { destructiveHint: false },
  nextAfterError: formatCall('clock', { action: 'show' }),
  about: { by: 'For advance, such as 35m', speed: 'Schedule seconds per second' },
  fields: {
    action: v.picklist(['show', 'freeze', 'resume', 'speed', 'advance', 'next', 'settle']),
    by: v.optional(duration()),
    speed: v.optional(Speed),
    ...DefaultWorkspace,
  },
  async run({ action, by, speed, ...workspace }, { emulator: { control }, signal }) {
    const calls = {
      show: () => control.getClock(workspace),
      freeze: () => control.setClock({ ...workspace, frozen: true }),
      resume: () => control.setClock({ ...workspace, frozen: false }),
      speed: () => control.setClock({ ...workspace, speed: requireArgument(speed, 'speed', 60) }),
      advance: () => control.advanceClock({ ...workspace, ms: requireArgument(by, 'by', '35m') }, signal),
      next: () => control.nextClock(workspace, signal),
      settle: () => control.settleClock(workspace, signal),
    };
    const clock = await calls[action]();
    return 'attempts' in clock ? toMoveResult(clock as ClockMove) : toClockResult(clock);
  },
});

function toClockResult({ now, speed, next_due_at }: ClockState): ToolResult {
  const next = next_due_at === null ? showStatus : formatCall('clock', { action: 'next' });
  return { now, speed, next_due_at, next };
}

function toMoveResult({ attempts, pending, paused, ...state }: ClockMove): ToolResult {
  const lastAttempts = new Map(attempts.map((attempt) => [attempt.delivery_id, attempt]));
  const failure = [...lastAttempts.values()].findLast(({ outcome }) => outcome !== 'succeeded');
  return {
    ...toClockResult(state),
    sent: attempts.length,
    failed: attempts.filter(({ outcome }) => outcome !== 'succeeded').length,
    pending,
    paused,
    attempts: attempts.slice(-MAX_SHOWN_DELIVERIES).map(summarizeAttempt),
    ...(failure && { next: formatCall('explain', { id: failure.delivery_id }) }),
  };
}

export const explainTool = defineTool({
  name: 'explain',
  description: 'Say why a delivery failed: cause, evidence, signature steps, and remedy',
  hints: { readOnlyHint: true },
  nextAfterError: formatCall('deliveries', { status: 'failing' }),
  about: { id: 'Delivery, event, endpoint or request; latest: the one that failed last' },
  fields: {
    id: v.optional(v.string(), 'latest'),
    attempt: v.optional(wholeNumber(1, 1_000_000)),
    ...WorkspaceFilter,
  },
  run: async (input, { emulator: { control } }) => summarizeExplanation(await control.explainDelivery(input)),
});

export const faultsTool = defineTool({
  name: 'faults',
  description: 'Inject a fault into deliveries or API requests, or remove all faults',
  hints: { destructiveHint: false },
  nextAfterError: showStatus,
  about: { fault: 'Such as {"on":"delivery","kind":"error-response","status":503,"count":1}' },
  fields: { action: v.picklist(['add', 'clear']), fault: v.optional(JsonObject) },
  async run({ action, fault }, { emulator: { control } }) {
    if (action === 'clear') return { ...(await control.clearFaults({})), next: showStatus };
    const given = requireArgument(fault, 'fault', { on: 'delivery', kind: 'duplicate' });
    const input = parseArguments(NewFaultInput, given);
    const { example_type: example } = await control.getStatus({});
    return {
      fault: await control.addFault(input),
      next: formatCall('trigger', { type: input.type ?? example, wait_seconds: 10 }),
    };
  },
});

export const stateTool = defineTool({
  name: 'state',
  description: 'Save or load a snapshot, or reset the state',
  hints: { destructiveHint: true },
  nextAfterError: showStatus,
  about: { path: 'Snapshot file' },
  fields: { action: v.picklist(['save', 'load', 'reset']), path: v.optional(v.string()) },
  async run({ action, path }, { emulator: { control }, projectFolder }) {
    if (action === 'reset') {
      await control.reset({});
      return { next: showStatus };
    }
    const file = { path: resolve(projectFolder, requireArgument(path, 'path', 'before.svc')) };
    if (action === 'load') {
      await control.loadSnapshot(file);
      return { ...file, next: showStatus };
    }
    const saved = await control.saveSnapshot(file);
    return { ...saved, next: formatCall('state', { action: 'load', ...file }) };
  },
});
