/** The requests of `svc gaps record`: harmless ones, whose responses show the behavior that the description leaves open. */
import { keyPrefixes } from '../domain/credentials.ts';
import { toExampleId } from '../domain/ids.ts';
import type { Fields } from './read-recording.ts';
import { isSuccess } from './sort-recording.ts';

export interface SampleRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the base address: `/events?limit=1`. A path that starts with `..` is outside of it. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface SampleResponse {
  readonly status: number;
  /** The fields of a JSON object; empty for anything else. */
  readonly json: Fields;
}

/** A key without its prefix that does not exist. */
export const UNKNOWN_KEY = '0'.repeat(32);
/** Page sizes and sizes of a body at the default limits of the emulator, and larger ones. */
const PAGE_LIMITS = [0, 100, 101, 500, 1000, 1_000_000];
const BODY_SIZES = [256 * 1024, 256 * 1024 + 1, 1024 ** 2 + 1];

/**
 * Sends the requests one after the other.
 * @param type event type of the created events
 * @param runId makes the idempotency keys unique
 */
export async function sendSampleRequests(
  send: (request: SampleRequest) => Promise<SampleResponse>,
  type: string,
  runId: string,
  apiKey: string,
): Promise<void> {
  const authorization = `Bearer ${apiKey}`;
  const get = (path: string, headers: SampleRequest['headers'] = { authorization }) =>
    send({ method: 'GET', path, headers });
  const post = (path: string, body: unknown, changes: object = {}) => {
    const headers = { 'Content-Type': 'application/json', authorization, ...changes };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return send({ method: 'POST', path, headers, body: text });
  };

  // The field of the payload, and the catalog.
  let form = { type, field: 'payload' };
  let event: SampleResponse = { status: 0, json: {} };
  let idempotencyKey = {};
  const toEvent = (text: string) => ({ type: form.type, [form.field]: { text } });
  for (const accepted of new Set([type, 'order.created'])) {
    for (const field of ['payload', 'data']) {
      if (isSuccess(event)) continue;
      form = { type: accepted, field };
      idempotencyKey = { 'Idempotency-Key': `${runId}-${accepted}-${field}` };
      event = await post('/events', toEvent(runId), idempotencyKey);
    }
  }
  const created = toEvent(runId);
  await post('/events', created, idempotencyKey);
  await post('/events', toEvent('other'), idempotencyKey);
  await post('/events', created, { 'Idempotency-Key': 'x'.repeat(256) });

  // Lists and single resources.
  const { id = toExampleId('event'), workspace_id: workspaceId = toExampleId('workspace') } = event.json;
  await get(`/events/${id}`);
  await get(`/workspaces/${workspaceId}`);
  let query = '';
  for (const name of ['workspace_id', 'workspace']) {
    const response = await get(`/events?${name}=${workspaceId}`);
    if (isSuccess(response) && query === '') query = `${name}=${workspaceId}&`;
  }
  const page = await get(`/events?${query}limit=1`);
  const lists = [
    `limit=1&starting_after=${page.json.end_cursor ?? toExampleId('event')}`,
    `type=${created.type}`,
    ...PAGE_LIMITS.map((limit) => `limit=${limit}`),
    'unknown=1',
    `starting_after=${toExampleId('event')}`,
  ];
  const paths = [
    ...['/events', '/events/x', '/unknown', '/events/', '../v2/events', '/webhooks'],
    ...lists.map((parameters) => `/events?${query}${parameters}`),
    `/events/${toExampleId('event')}`,
    `/workspaces/${toExampleId('workspace')}`,
    `/webhooks/${toExampleId('webhook')}`,
  ];
  for (const path of paths) await get(path);
  await send({ method: 'DELETE', path: '/events', headers: { authorization } });

  // Requests that are not valid. The large bodies are not JSON, so that they create nothing.
  await get(`/events?${query}limit=1`, {});
  await get(`/events?${query}limit=1`, { authorization: `Bearer ${keyPrefixes.sandbox}${UNKNOWN_KEY}` });
  const invalid = ['{', '[]', {}, { type: 7 }, { type: 'no type' }, { ...created, unknown: 1 }];
  const large = BODY_SIZES.map((bytes) => '{'.padEnd(bytes, ' '));
  for (const body of [...invalid, ...large]) await post('/events', body);
  await post('/events', created, { 'Content-Type': 'text/plain' });
  await post('/events', created, { 'Content-Type': 'application/json; charset=iso-8859-1' });
}
