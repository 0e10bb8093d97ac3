/** `svc events import`: creates the events of a recording again, at the same intervals on the schedule clock. */

import { formatDuration } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { MAX_ADVANCE_MS } from '../../operations/control-operations.ts';
import { sleep } from '../../platform/timers.ts';
import { type RecordedEvent, type RecordedEvents, readEvents } from '../../recordings/read-events.ts';
import { createRecordingError } from '../../recordings/read-recording.ts';
import { toEventBody } from '../../resources/event.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { addWorkspaceOption } from '../option-parsers.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { readRecording } from '../recording-file.ts';
import { renderTable } from '../render/table.ts';

interface ImportOptions {
  readonly file: string;
  readonly workspace?: string;
  readonly atOnce?: boolean;
  readonly dryRun?: boolean;
}

/** An event of the file, with the one that was created from it. Part of the output. */
interface ImportedEvent {
  readonly position: string;
  readonly source_id: string | null;
  readonly type: string;
  /** Schedule time after the first event. */
  readonly offset_ms: number;
  readonly id: string | null;
  readonly created_at: string | null;
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
        .option('--at-once', 'Create all events now, without moving the clock')
        .option('--dry-run', 'Only check the file and list its events'),
    ).addHelpText('after', DETAILS),
  examples: [
    ['Show what a file contains', 'events import production.har --dry-run'],
    ['Play the events of a file and the retries between them', 'events import production.har'],
    ['Create all events of a file immediately', 'events import deliveries.ndjson --at-once'],
  ],
  async run({ file, workspace, atOnce = false, dryRun = false }, context) {
    const recording = await readRecording(file, context);
    const recorded = readEvents(recording);
    const importer = new Importer(recorded, findOffsets(recorded.events, atOnce, recording.file));
    if (!dryRun) await importer.importAll({ workspace, atOnce }, context);
    importer.report(dryRun, context);
    if (importer.failure !== null) throw importer.failure;
  },
};

/** Pause before an event is created again, after the API has limited the rate of requests. */
const RATE_LIMIT_PAUSE_MS = 100;

/**
 * Milliseconds after the first event.
 * @param file its name for errors
 * @throws SvcError `usage` if they are more than the clock can advance
 */
function findOffsets(events: readonly RecordedEvent[], atOnce: boolean, file: string): number[] {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined || atOnce) return events.map(() => 0);
  if (last.at - first.at > MAX_ADVANCE_MS) {
    const problem = `the event is more than ${formatDuration(MAX_ADVANCE_MS)} after ${first.position}`;
    throw createRecordingError(file, last.position, problem, 'Correct the time, or use --at-once.');
  }
  return events.map(({ at }) => at - first.at);
}

interface ImportTarget {
  readonly workspace: string | undefined;
  readonly atOnce: boolean;
}

class Importer {
  readonly #recorded: RecordedEvents;
  readonly #offsets: readonly number[];
  readonly #created: { readonly id: string; readonly created_at: string }[] = [];
  /** The error that stopped the import; null if it was complete. */
  failure: unknown = null;

  constructor(recorded: RecordedEvents, offsets: readonly number[]) {
    this.#recorded = recorded;
    this.#offsets = offsets;
  }

  /** Stops at the first error, which is then in {@link failure}. @throws SvcError if no event was created */
  async importAll(target: ImportTarget, context: Context): Promise<void> {
    const total = this.#recorded.events.length;
    const describeProgress = async () => `Importing ${renderProgressBar(this.#created.length, total)}`;
    try {
      await withProgress(context, describeProgress, this.#createEvents(target, context));
    } catch (error) {
      if (this.#created.length === 0) throw error;
      this.failure = error;
    }
  }

  async #createEvents({ workspace, atOnce }: ImportTarget, context: Context): Promise<void> {
    const { signal } = context;
    const { payload_field: payloadField } = await context.getStatus();
    const workspaceId = workspace ?? (await context.getWorkspaceId());
    const [api, control] = [await context.connectApi(), await context.connect()];
    for (const [index, event] of this.#recorded.events.entries()) {
      const offsetMs = this.#offsets[index] ?? 0;
      assertNotInterrupted(signal);
      const advanceMs = atOnce ? 0 : this.#msUntil(offsetMs);
      if (advanceMs > 0) await control.advanceClock({ workspace_id: workspaceId, ms: advanceMs }, signal);
      assertNotInterrupted(signal);
      const { type, payload } = event;
      const body = toEventBody({ type, workspaceId, payloadField, payload });
      const { id, created_at } = await this.#createEvent(() => api.createEvent(body), event, signal);
      this.#created.push({ id, created_at });
    }
  }

  /** Creates an event. Waits while the API limits the rate of requests. */
  async #createEvent(
    create: () => Promise<{ readonly value: { readonly id: string; readonly created_at: string } }>,
    { position }: RecordedEvent,
    signal: AbortSignal,
  ) {
    for (;;) {
      try {
        return (await create()).value;
      } catch (error) {
        if (!(error instanceof SvcError) || error.code === 'interrupted') throw error;
        if (error.code !== 'rate_limited') {
          throw new SvcError(error.code, `The event of ${position} was not created: ${error.message}`, {
            hint: error.hint,
            cause: error,
          });
        }
        await sleep(RATE_LIMIT_PAUSE_MS, signal);
        assertNotInterrupted(signal);
      }
    }
  }

  /** Schedule time from the last created event to `offsetMs` after the first one. */
  #msUntil(offsetMs: number): number {
    const [first, last] = [this.#created[0], this.#created.at(-1)];
    if (first === undefined || last === undefined) return 0;
    return Math.max(0, Date.parse(first.created_at) + offsetMs - Date.parse(last.created_at));
  }

  report(isDryRun: boolean, context: Context): void {
    const { events, repeatedCount: repeated, otherCount: other } = this.#recorded;
    const rows = events.map(
      ({ position, sourceId, type }, index): ImportedEvent => ({
        position,
        source_id: sourceId,
        type,
        offset_ms: this.#offsets[index] ?? 0,
        id: this.#created[index]?.id ?? null,
        created_at: this.#created[index]?.created_at ?? null,
      }),
    );
    const imported = this.#created.length;
    const document = { imported, total: events.length, repeated, other, dry_run: isDryRun, events: rows };
    context.print(document, () => {
      const spanMs = this.#offsets[(isDryRun ? events.length : imported) - 1] ?? 0;
      const span = spanMs > 0 ? ` over ${formatDuration(spanMs)} of schedule time` : '';
      const total = formatCount(events.length, 'event');
      const skipped = [
        repeated > 0 ? formatCount(repeated, 'repeated delivery', 'repeated deliveries') : null,
        other > 0 ? formatCount(other, 'other request') : null,
      ].filter((text) => text !== null);
      const summary = isDryRun
        ? `The file contains ${total}${span}. Nothing was imported.`
        : `Imported ${imported === events.length ? total : `${imported} of ${total}`}${span}.`;
      const lines = [summary, ...(skipped.length > 0 ? [`Skipped ${skipped.join(' and ')}.`] : [])];
      return isDryRun ? `${renderTable(columns, rows, context.io)}\n\n${lines.join('\n')}` : lines.join('\n');
    });
  }
}

const columns = [
  { title: 'POSITION', value: ({ position }: ImportedEvent) => position },
  { title: 'TYPE', value: ({ type }: ImportedEvent) => type },
  { title: 'TIME', value: ({ offset_ms: offset }: ImportedEvent) => `+${formatDuration(offset)}` },
  { title: 'ORIGINAL ID', value: ({ source_id: id }: ImportedEvent) => id ?? '', hideOrder: 1 },
];

function assertNotInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
}
