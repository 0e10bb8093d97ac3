/** The form values of an exploration, as a request to the control plane and as an `svc receiver explore` command. */
import type { ControlInput } from '../../../contract/control-operations.ts';
import type { ExplorationReport } from '../../../contract/exploration-schemas.ts';
import { formatDuration, parseDuration } from '../../../domain/duration.ts';
import { WILDCARD_SUBSCRIPTION } from '../../../domain/event.ts';
import { commandlessDisturbances } from '../../../domain/exploration.ts';
import { quoteForShell } from '../../../domain/shell.ts';
import { SvcError } from '../../../errors.ts';

export interface ExplorationDraft {
  readonly runs: string;
  /** A duration. */
  readonly time_ms: string;
  readonly seed: string;
  readonly observe: string;
  /** Disturbances, separated by commas or spaces. */
  readonly only: string;
}

export const emptyExploration: ExplorationDraft = { runs: '', time_ms: '', seed: '', observe: '', only: '' };

/** What an exploration is asked for, apart from the ID of the endpoint. */
export type ExplorationInput = Omit<ControlInput<'exploreWebhook'>, 'id'>;

/** The control plane checks the values. @throws SvcError `usage` for an invalid duration */
export function toExploration(draft: ExplorationDraft): ExplorationInput {
  const names = listNames(draft.only);
  const [runs, time, seed, observe] = [draft.runs, draft.time_ms, draft.seed, draft.observe].map((text) =>
    text.trim(),
  );
  const timeMs = time ? parseDuration(time) : undefined;
  if (timeMs === null) throw new SvcError('usage', 'time_ms must be a duration such as 30s or 5m.');
  return {
    ...(runs && { runs }),
    ...(timeMs !== undefined && { time_ms: timeMs }),
    ...(seed && { seed }),
    ...(observe && { observe }),
    ...(names.length > 0 && { only: names as NonNullable<ExplorationInput['only']> }),
  };
}

export function listNames(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

/** Adds or removes a disturbance. */
export function toggleDisturbance(text: string, name: string): string {
  const names = listNames(text);
  return (names.includes(name) ? names.filter((listed) => listed !== name) : [...names, name]).join(', ');
}

interface ExploredEndpoint {
  readonly url: string;
  readonly events: readonly string[];
}

/** The command that plays the same histories. It reads the secret from `SVC_WEBHOOK_SECRET`. */
export function toExploreCommand(
  { url, events }: ExploredEndpoint,
  { runs, time_ms: timeMs, observe, only }: ExplorationInput,
  report: Pick<ExplorationReport, 'seed' | 'events'>,
): string {
  const receivesAll = events.includes(WILDCARD_SUBSCRIPTION);
  // Unless the endpoint receives all event types, the service does not send it unknown ones.
  const selection = only
    ? ['--only', commandlessDisturbances.filter((name) => only.includes(name)).join(',')]
    : receivesAll
      ? []
      : ['--without', 'unknown-type'];
  const words = [
    ...['svc', 'receiver', 'explore', url, '--seed', String(report.seed)],
    ...(runs === undefined ? [] : ['--runs', String(runs)]),
    ...(timeMs === undefined ? [] : ['--time', formatDuration(Number(timeMs))]),
    ...(observe === undefined ? [] : ['--observe', observe]),
    ...(receivesAll ? [] : ['--events', report.events.join(',')]),
    ...selection,
  ];
  return words.map(quoteForShell).join(' ');
}

/** The same file name as `svc receiver explore` uses. */
export function toHistoryFileName({ seed, run }: Record<string, unknown>): string {
  return `history-${seed}-${run ?? 'first'}.json`;
}
