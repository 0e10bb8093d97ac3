/** Reads what an event says from its columns. */
import { type EventValues, eventSettings, eventTable, toEnvelope } from '../resources/event.ts';
import { createRowReader } from './columns.ts';
import type { Row } from './schema.ts';

export type EventWithWorkspace = Row<'events'> & { readonly workspace_id: string };

const readSettings = createRowReader(eventSettings);

export function toEventValues(
  row: Omit<EventWithWorkspace, 'seq' | 'workspace_seq' | 'stored_at_wall'>,
): EventValues {
  const { id, workspace_id, type, payload, created_at } = row;
  return { id, workspace_id, type, payload, created_at, ...readSettings(row) };
}

/** The names of the columns of an event, and of these in {@link BODY_COLUMNS}. */
const bodyColumns = Object.keys(eventTable).map((name) => [name, `event_${name}`] as const);

/** The columns that decide the body of the delivery `d` of the event `e` in the workspace `w`. */
export const BODY_COLUMNS = [
  'd.own_body',
  ...bodyColumns.map(([name, alias]) => `${name === 'workspace_id' ? 'w.id' : `e.${name}`} AS ${alias}`),
].join(', ');

/** The body of a delivery, from its {@link BODY_COLUMNS}. */
export function toBody(row: { readonly own_body: string | null }): string {
  if (row.own_body !== null) return row.own_body;
  const columns = row as unknown as Readonly<Record<string, unknown>>;
  const event: Record<string, unknown> = {};
  for (const [name, alias] of bodyColumns) event[name] = columns[alias];
  return toEnvelope(toEventValues(event as unknown as EventWithWorkspace));
}
