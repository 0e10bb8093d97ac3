/** The requests of `svc gaps record`: harmless ones, whose responses show the behavior that the description leaves open. */
import { keyPrefixes, type Scope } from '../domain/credentials.ts';
import { toExampleId } from '../domain/ids.ts';
import { isSuccess } from './sort-traffic.ts';

export interface ProbeRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the base address: `/events?limit=1`. A path that starts with `..` is outside of it. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ProbeResponse {
  readonly status: number;
  /** The fields of a JSON object; empty for anything else. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** The scopes of the restricted key. */
export const RESTRICTED_SCOPES: readonly Scope[] = ['events:write'];
/** A key without its prefix that does not exist. */
export const UNKNOWN_KEY = '0'.repeat(32);
/** More than the usual limits. It is not JSON, so that it creates nothing. */
const LARGE_BODY = '{'.padEnd(1024 ** 2 + 1, ' ');

/**
 * Sends the requests one after the other.
 * @param type event type of the created events
 * @param runId makes the idempotency keys unique
 * @param restrictedKey a key with only {@link RESTRICTED_SCOPES}, if the user has one
 */
export async function probeService(
  send: (request: ProbeRequest) => Promise<ProbeResponse>,
  type: string,
  runId: string,
  apiKey: string,
  restrictedKey: string | null,
): Promise<void> {
  const authorize = (key: string | null) => (key === null ? {} : { authorization: `Bearer ${key}` });
  const get = (path: string, key: string | null = apiKey) =>
    send({ method: 'GET', path, headers: authorize(key) });
  const post = (path: string, body: unknown, changes: object = {}, key = apiKey) => {
    const headers = { 'Content-Type': 'application/json', ...authorize(key), ...changes };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return send({ method: 'POST', path, headers, body: text });
  };

  // The field of the payload, and the catalog.
  let form = { type, field: 'payload' };
  let event: ProbeResponse = { status: 0, json: {} };
  let idempotencyKey = {};
  const toEvent = (probe: string) => ({ type: form.type, [form.field]: { probe } });
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
    const { status } = await get(`/events?${name}=${workspaceId}`);
    if (isSuccess({ status }) && query === '') query = `${name}=${workspaceId}&`;
  }
  const page = await get(`/events?${query}limit=1`);
  const lists = [
    `limit=1&starting_after=${page.json.end_cursor ?? toExampleId('event')}`,
    `type=${created.type}`,
    // The message of the error usually states the limit. The others are the usual ones.
    ...[0, 100, 101, 500, 1000, 1_000_000].map((limit) => `limit=${limit}`),
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
  await send({ method: 'DELETE', path: '/events', headers: authorize(apiKey) });

  // Keys.
  for (const key of [null, keyPrefixes.sandbox + UNKNOWN_KEY]) await get(`/events?${query}limit=1`, key);
  if (restrictedKey !== null) {
    await get(`/events?${query}limit=1`, restrictedKey);
    await get(`/workspaces/${workspaceId}`, restrictedKey);
    await post('/webhooks', {}, {}, restrictedKey);
  }

  // Bodies that are not valid.
  const invalid = ['{', '[]', {}, { type: 7 }, { type: 'no type' }, { ...created, unknown: 1 }, LARGE_BODY];
  for (const body of invalid) await post('/events', body);
  await post('/events', created, { 'Content-Type': 'text/plain' });
  await post('/events', created, { 'Content-Type': 'application/json; charset=iso-8859-1' });
}
