/** The table columns of the resources that commands list and prompts offer. */
import type { ApiKey, Event, WebhookDetail, Workspace } from '../../contract/resources.ts';
import { formatRelative } from '../../domain/duration.ts';
import type { FixtureFile } from '../../fixtures/fixture-index.ts';
import type { ScheduleTimeOf } from '../schedule-time.ts';
import type { Column } from './table.ts';

/** The creation time of an event is a schedule time. */
export function eventColumns(scheduleTimeOf: ScheduleTimeOf): readonly Column<Event>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'TYPE', value: ({ type }) => type, hideOrder: 3 },
    { title: 'CREATED', value: (row) => formatRelative(row.created_at, scheduleTimeOf(row)), hideOrder: 2 },
    { title: 'PAYLOAD', value: ({ payload }) => JSON.stringify(payload), hideOrder: 1, canTruncate: true },
  ];
}

/** The creation time of an endpoint is a schedule time. */
export function webhookColumns(scheduleTimeOf: ScheduleTimeOf): readonly Column<WebhookDetail>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'URL', value: ({ url }) => url, canTruncate: true },
    { title: 'EVENTS', value: ({ events }) => events.join(','), hideOrder: 3, canTruncate: true },
    { title: 'STATE', value: ({ disabled }) => (disabled ? 'disabled' : 'enabled'), hideOrder: 2 },
    { title: 'CREATED', value: (row) => formatRelative(row.created_at, scheduleTimeOf(row)), hideOrder: 1 },
  ];
}

export function keyColumns(now: number): readonly Column<ApiKey>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'KEY', value: ({ last4 }) => `…${last4}` },
    { title: 'SCOPES', value: ({ scopes }) => scopes.join(','), hideOrder: 3, canTruncate: true },
    { title: 'WORKSPACE', value: ({ workspace_id: id }) => id ?? 'all', hideOrder: 2 },
    { title: 'CREATED', value: ({ created_at: at }) => formatRelative(at, now), hideOrder: 1 },
    { title: 'REVOKED', value: ({ revoked_at: at }) => (at ? formatRelative(at, now) : '') },
  ];
}

export function workspaceColumns(now: number): readonly Column<Workspace>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, canTruncate: true },
    { title: 'ENVIRONMENT', value: ({ environment }) => environment, hideOrder: 2 },
    { title: 'CREATED', value: ({ created_at: at }) => formatRelative(at, now), hideOrder: 1 },
  ];
}

export type DescribedFixture = FixtureFile & { readonly description: string };

export const fixtureColumns: readonly Column<DescribedFixture>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'KIND', value: ({ kind }) => kind, hideOrder: 1 },
  { title: 'FROM', value: describeSource, hideOrder: 2 },
  { title: 'DESCRIPTION', value: ({ description }) => description, canTruncate: true },
];

function describeSource({ source, overrides }: FixtureFile): string {
  if (source === 'built_in') return 'built-in';
  return overrides ? 'project, overrides' : 'project';
}
