/** `svc events import`: creates the events of a recording again, at the same intervals on the schedule clock. */
import { SvcError } from '../../domain/errors.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { sleep } from '../../platform/timers.ts';
import { type RecordedEvent, type RecordedEvents, readEvents } from '../../recordings/read-events.ts';
import { toEventBody } from '../../resources/event.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { workspaceRow } from '../option-rows.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { readRecording } from '../recording-file.ts';

/** Also the JSON form. */
interface CreatedEvent {
  /** Where it is in the file, and its ID in the recorded service. */
  readonly position: string;
  readonly source_id: string | null;
  readonly type: string;
  readonly id: string;
  readonly created_at: string;
}

const DETAILS = `
The file is HAR, or the NDJSON of svc deliveries export. Each event is created once, even if the file contains several
attempts or deliveries of it. It gets a new ID. The file can be up to 256 MB.

By default, the schedule clock advances from event to event without waiting. Retries that become due on the way are sent.`;

export const command = defineCommand({
  options: {
    file: { argument: '<file>', summary: 'File to import, or - for standard input' },
    atOnce: { option: '--at-once', summary: 'Create all events now, without moving the clock' },
    workspace: workspaceRow,
  },
  notes: DETAILS,
  examples: [
    ['Play the events of a file and the retries between them', 'events import production.har'],
    ['Create all events of a file immediately', 'events import deliveries.ndjson --at-once'],
  ],
  async run({ file, workspace, atOnce: isAtOnce }, context) {
    const atOnce = isAtOnce === true;
    const recorded = readEvents(await readRecording(file, context));
    const { events } = recorded;
    const created: CreatedEvent[] = [];
    const creating = importEvents(events, created, workspace, atOnce, context);
    try {
      const count = async () => `Importing ${renderProgressBar(created.length, events.length)}`;
      await withProgress(context, count, creating);
    } finally {
      if (created.length > 0) report(recorded, created, context);
    }
  },
});

/** Pause before an event is created again, after the API has limited the rate of requests. */
const RATE_LIMIT_PAUSE_MS = 100;

/** Adds the events that it creates to `created`, and stops at the first error. */
async function importEvents(
  events: readonly RecordedEvent[],
  created: CreatedEvent[],
  workspaceId: string,
  atOnce: boolean,
  context: Context,
): Promise<void> {
  const { signal } = context;
  const { payload_field: payloadField } = await context.getStatus();
  const [api, control] = [await context.connectApi(), await context.connect()];

  /** Waits while the API limits the rate of requests. */
  async function create(event: RecordedEvent): Promise<CreatedEvent> {
    const { type, payload, settings, position, sourceId: source_id } = event;
    if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
    const body = toEventBody({ type, workspaceId, payloadField, payload, settings });
    try {
      const { id, created_at } = (await api.createEvent(body)).value;
      return { position, source_id, type, id, created_at };
    } catch (error) {
      if (!(error instanceof SvcError) || error.code === 'interrupted') throw error;
      if (error.code !== 'rate_limited') {
        // The position, because the message is that of the API.
        const message = `The event of ${position} was not created: ${error.message}`;
        throw new SvcError(error.code, message, { hint: error.hint, cause: error });
      }
    }
    await sleep(RATE_LIMIT_PAUSE_MS, signal);
    return create(event);
  }

  for (const event of events) {
    const [first, last] = [created[0], created.at(-1)];
    if (first && last && !atOnce && !signal.aborted) {
      const plannedAt = Date.parse(first.created_at) + event.at - (events[0] ?? event).at;
      const ms = plannedAt - Date.parse(last.created_at);
      if (ms > 0) await control.advanceClock({ workspace_id: workspaceId, ms }, signal);
    }
    created.push(await create(event));
  }
}

function report(
  { events, repeatedCount: repeated, otherCount: other }: RecordedEvents,
  created: readonly CreatedEvent[],
  context: Context,
): void {
  const imported = created.length;
  context.print({ imported, total: events.length, repeated, other, events: created }, () => {
    const total = formatCount(events.length, 'event');
    const skipped = [
      ...(repeated > 0 ? [formatCount(repeated, 'repeated delivery', 'repeated deliveries')] : []),
      ...(other > 0 ? [formatCount(other, 'other request')] : []),
    ].join(' and ');
    const summary = `Imported ${imported === events.length ? total : `${imported} of ${total}`}.`;
    return skipped === '' ? summary : `${summary}\nSkipped ${skipped}.`;
  });
}
