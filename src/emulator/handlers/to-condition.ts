/** Checks the IDs in filters of lists, parses their times, and shows where a text filter matched. */

import { parsePeriod, parseRelativeTime } from '../../domain/duration.ts';
import type { Condition } from '../../resources/define-resource.ts';
import { createNotFoundError } from '../service/access.ts';
import type { Sandbox } from '../service/sandbox.ts';
import type { LoadedWorkspace } from '../service/workspace-registry.ts';

export interface FilterInput {
  readonly workspace_id?: string | undefined;
  readonly event_id?: string | undefined;
  readonly webhook_id?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly scheduled?: string | undefined;
}

/**
 * The condition of a filter.
 * @param clock that durations before now are relative to
 * @throws SvcError `not_found` for a filter by a workspace, event or endpoint that does not exist.
 */
export function toCondition<Input extends FilterInput>(
  sandbox: Sandbox,
  input: Input,
  clock: 'schedule' | 'wall',
): Condition<Input> {
  const { store, wall } = sandbox;
  const workspace = findWorkspace(sandbox, input.workspace_id) ?? sandbox.workspaces.default;
  const { event_id: eventId, webhook_id: webhookId } = input;
  if (eventId !== undefined && !store.events.find(eventId)) throw createNotFoundError('event', eventId);
  if (webhookId !== undefined && !store.webhooks.findSeq(webhookId))
    throw createNotFoundError('webhook', webhookId);
  const now = clock === 'wall' ? wall.now() : workspace.clock.now();
  const times = Object.entries({ since: input.since, until: input.until }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, parseRelativeTime(text, now)]],
  );
  const { scheduled } = input;
  const period = scheduled === undefined ? {} : { scheduled: JSON.stringify(parsePeriod(scheduled, now)) };
  return { ...input, ...Object.fromEntries(times), ...period };
}

/** The workspace of an optional ID. @throws SvcError `not_found`. */
export function findWorkspace(sandbox: Sandbox, id: string | null | undefined): LoadedWorkspace | null {
  if (id === null || id === undefined) return null;
  const workspace = sandbox.workspaces.find(id);
  if (workspace === undefined) throw createNotFoundError('workspace', id);
  return workspace;
}

/** Lengths of the text around a match. */
const BEFORE = 30;
const AFTER = 90;

/** The field `excerpt` of an item in a list that is filtered by `search`. */
export function toExcerpt(
  search: string | undefined,
  otherFields: readonly string[],
  getBody: () => string,
): { excerpt?: string } {
  if (search === undefined || otherFields.some((field) => findExcerpt(field, search) !== null)) return {};
  const excerpt = findExcerpt(getBody(), search);
  return excerpt === null ? {} : { excerpt };
}

/**
 * The part of a text around the first match, on one line: `…"carrier":"DHL"…`. Case-insensitive.
 * @returns null without a match
 */
function findExcerpt(text: string, search: string): string | null {
  const index = text.toLowerCase().indexOf(search.toLowerCase());
  if (index === -1) return null;
  const start = Math.max(0, index - BEFORE);
  const end = index + search.length + AFTER;
  const excerpt = text.slice(start, end).replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${excerpt}${end < text.length ? '…' : ''}`;
}
