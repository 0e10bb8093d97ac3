/** `svc events import`: creates the events of a recording again, at the same intervals on the schedule clock. */

import { formatDuration } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { MAX_ADVANCE_MS } from '../../operations/control-operations.ts';
import { sleep } from '../../platform/timers.ts';
import { type RecordedEvent, readEvents } from '../../recordings/read-events.ts';
import { createRecordingError } from '../../recordings/read-recording.ts';
import { toEventBody } from '../../resources/event.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { addWorkspaceOption } from '../option-parsers.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { readRecording } from '../recording-file.ts';

interface ImportOptions {
  readonly file: string;
  readonly workspace?: string;
  readonly atOnce?: boolean;
}

interface CreatedEvent {
  readonly id: string;
  readonly created_at: string;
}

/** A recorded event, and the schedule time from the first event to it. */
interface PlannedEvent extends RecordedEvent {
  readonly offsetMs: number;
}

const DETAILS = `
The file is HAR, or the NDJSON of svc deliveries export. Each event is created once, even if the file contains several
attempts or deliveries of it. It gets a new ID. The file can have 256 MB.

By default, the schedule clock advances from event to event without waiting. Retries that become due on the way are sent.`;

export const command: CommandDefinition<ImportOptions> = {
  configure: (command) =>
    addWorkspaceOption(
      command
        .argument('<file>', 'File to import, or - for standard input')
        .option('--at-once', 'Create all events now, without moving the clock'),
    ).addHelpText('after', DETAILS),
  examples: [
    ['Play the events of a file and the retries between them', 'events import production.har'],
    ['Create all events of a file immediately', 'events import deliveries.ndjson --at-once'],
  ],
  async run({ file, workspace, atOnce = false }, context) {
    const recording = await readRecording(file, context);
    const { events: recorded, repeatedCount: repeated, otherCount: other } = readEvents(recording);
    const events = planEvents(recorded, atOnce, recording.file);
    const created: CreatedEvent[] = [];
    try {
      await withProgress(
        context,
        async () => `Importing ${renderProgressBar(created.length, events.length)}`,
        createEvents(events, created, { workspace, atOnce }, context),
      );
    } finally {
      if (created.length > 0) report(events, created, { repeated, other }, context);
    }
  },
};

/** Pause before an event is created again, after the API has limited the rate of requests. */
const RATE_LIMIT_PAUSE_MS = 100;

/**
 * @param file its name for errors
 * @throws SvcError `usage` if the clock cannot advance from the first event to the last one
 */
function planEvents(events: readonly RecordedEvent[], atOnce: boolean, file: string): PlannedEvent[] {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (!atOnce && last.at - first.at > MAX_ADVANCE_MS) {
    const problem = `the event is more than ${formatDuration(MAX_ADVANCE_MS)} after ${first.position}`;
    throw createRecordingError(file, last.position, problem, 'Correct the time, or use --at-once.');
  }
  return events.map((event) => ({ ...event, offsetMs: atOnce ? 0 : event.at - first.at }));
}

/** Adds the events that it creates to `created`, and stops at the first error. */
async function createEvents(
  events: readonly PlannedEvent[],
  created: CreatedEvent[],
  { workspace, atOnce }: { readonly workspace: string | undefined; readonly atOnce: boolean },
  context: Context,
): Promise<void> {
  const { signal } = context;
  const { payload_field: payloadField } = await context.getStatus();
  const workspaceId = workspace ?? (await context.getWorkspaceId());
  const [api, control] = [await context.connectApi(), await context.connect()];
  for (const event of events) {
    assertNotInterrupted(signal);
    const [first, last] = [created[0], created.at(-1)];
    const ms =
      first && last ? Date.parse(first.created_at) + event.offsetMs - Date.parse(last.created_at) : 0;
    if (ms > 0 && !atOnce) await control.advanceClock({ workspace_id: workspaceId, ms }, signal);
    assertNotInterrupted(signal);
    const { type, payload, settings, position } = event;
    const body = toEventBody({ type, workspaceId, payloadField, payload, settings });
    const { id, created_at } = await retryWhenLimited(async () => (await api.createEvent(body)).value, signal)
      // The position, because the message is that of the API.
      .catch((error) => {
        if (!(error instanceof SvcError) || error.code === 'interrupted') throw error;
        const message = `The event of ${position} was not created: ${error.message}`;
        throw new SvcError(error.code, message, { hint: error.hint, cause: error });
      });
    created.push({ id, created_at });
  }
}

/** Waits while the API limits the rate of requests. */
async function retryWhenLimited<Result>(call: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'rate_limited') throw error;
      await sleep(RATE_LIMIT_PAUSE_MS, signal);
      assertNotInterrupted(signal);
    }
  }
}

function report(
  events: readonly PlannedEvent[],
  created: readonly CreatedEvent[],
  { repeated, other }: { readonly repeated: number; readonly other: number },
  context: Context,
): void {
  const rows = events.map(({ position, sourceId, type, offsetMs }, index) => ({
    position,
    source_id: sourceId,
    type,
    offset_ms: offsetMs,
    id: created[index]?.id ?? null,
    created_at: created[index]?.created_at ?? null,
  }));
  const imported = created.length;
  context.print({ imported, total: events.length, repeated, other, events: rows }, () => {
    const spanMs = events[imported - 1]?.offsetMs ?? 0;
    const span = spanMs > 0 ? ` over ${formatDuration(spanMs)} of schedule time` : '';
    const total = formatCount(events.length, 'event');
    const skipped = [
      ...(repeated > 0 ? [formatCount(repeated, 'repeated delivery', 'repeated deliveries')] : []),
      ...(other > 0 ? [formatCount(other, 'other request')] : []),
    ].join(' and ');
    const summary = `Imported ${imported === events.length ? total : `${imported} of ${total}`}${span}.`;
    return skipped === '' ? summary : `${summary}\nSkipped ${skipped}.`;
  });
}

function assertNotInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
}
