/** The requests of `svc gaps record`: harmless ones, whose responses show the behavior that the description leaves open. */
import type { Scope } from '../domain/credentials.ts';
import { isSuccess } from './exchange.ts';

export interface ProbeRequest {
  readonly method: string;
  /** Relative to the base address: `/events?limit=1`. A path that starts with `..` is outside of it. */
  readonly path: string;
  /** `wrong` and `live` are keys that do not exist. */
  readonly key: 'default' | 'restricted' | 'none' | 'wrong' | 'live';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface ProbeResponse {
  readonly status: number;
  /** The fields of a JSON object; empty for anything else. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface ProbeOptions {
  /** Event type of the created events. */
  readonly type: string;
  /** Makes the idempotency keys unique. */
  readonly runId: string;
  /** Whether the user has a key with `events:write` only. */
  readonly hasRestrictedKey: boolean;
  /** Where to register endpoints; null to register none. */
  readonly endpointUrl: string | null;
}

/** The scopes of the restricted key. */
export const RESTRICTED_SCOPES: readonly Scope[] = ['events:write'];

const UNKNOWN_ULID = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
/** Sizes of bodies that are not JSON, so that they create nothing: the usual limits, and one byte more. */
const SIZES = [64, 128, 256, 512, 1024].map((kibibytes) => kibibytes * 1024);

/** Sends the requests one after the other. */
export async function probeService(
  send: (request: ProbeRequest) => Promise<ProbeResponse>,
  { type, runId, hasRestrictedKey, endpointUrl }: ProbeOptions,
): Promise<void> {
  const request = (
    method: string,
    path: string,
    body: unknown = null,
    changes: Partial<ProbeRequest> = {},
  ) => {
    const text = body === null || typeof body === 'string' ? body : JSON.stringify(body);
    const headers = text === null ? {} : { 'Content-Type': 'application/json' };
    return send({
      method,
      path,
      key: 'default',
      body: text,
      ...changes,
      headers: { ...headers, ...changes.headers },
    });
  };
  const get = (path: string, key: ProbeRequest['key'] = 'default') => request('GET', path, null, { key });
  const withKey = (name: string) => ({ headers: { 'Idempotency-Key': `${runId}-${name}` } });

  // Events: the field of the payload, the catalog, idempotency.
  const probe = { probe: runId };
  let event: ProbeResponse = { status: 0, json: {} };
  let [createdType, field] = [type, 'payload'];
  for ([createdType, field] of [
    [type, 'payload'],
    [type, 'data'],
    ['order.created', 'payload'],
    ['order.created', 'data'],
  ] as const) {
    event = await request('POST', '/events', { type: createdType, [field]: probe }, withKey('a'));
    if (isSuccess(event)) break;
  }
  const created = { type: createdType, [field]: probe };
  await request('POST', '/events', created, withKey('a'));
  await request('POST', '/events', { ...created, [field]: { probe: 'other' } }, withKey('a'));
  await request('POST', '/events', created, { headers: { 'Idempotency-Key': 'x'.repeat(256) } });

  // Lists and single resources.
  const workspaceId = typeof event.json.workspace_id === 'string' ? event.json.workspace_id : null;
  await get(`/events/${event.json.id ?? `evt_${UNKNOWN_ULID}`}`);
  let query = '';
  if (workspaceId !== null) {
    await get(`/workspaces/${workspaceId}`);
    for (const name of ['workspace_id', 'workspace']) {
      const page = await get(`/events?${name}=${workspaceId}`);
      if (isSuccess(page) && query === '') query = `${name}=${workspaceId}&`;
    }
  }
  await get('/events');
  const page = await get(`/events?${query}limit=1`);
  await get(`/events?${query}limit=1&starting_after=${page.json.end_cursor ?? `evt_${UNKNOWN_ULID}`}`);
  await get(`/events?${query}type=${created.type}`);
  await get(`/events?${query}limit=0`);
  const tooMany = await get(`/events?${query}limit=1000000`);
  const stated = /\b(\d{1,4})\D*$/.exec(
    String(Object(tooMany.json.error).message ?? '').replaceAll('1000000', ''),
  )?.[1];
  const limits = stated === undefined ? [100, 101, 500, 1000] : [Number(stated), Number(stated) + 1];
  for (const limit of limits) await get(`/events?${query}limit=${limit}`);
  await get(`/events?${query}unknown=1`);
  await get(`/events?${query}starting_after=evt_${UNKNOWN_ULID}`);

  // What does not exist.
  for (const path of [
    `/events/evt_${UNKNOWN_ULID}`,
    '/events/x',
    `/workspaces/ws_${UNKNOWN_ULID}`,
    '/unknown',
    '/events/',
  ]) {
    await get(path);
  }
  await get('../v2/events');
  await get('/webhooks');
  await get(`/webhooks/wh_${UNKNOWN_ULID}`);
  await request('DELETE', '/events');

  // Keys.
  for (const key of ['none', 'wrong', 'live'] as const) await get(`/events?${query}limit=1`, key);
  if (hasRestrictedKey) {
    await request('POST', '/webhooks', {}, { key: 'restricted' });
    await get(`/events?${query}limit=1`, 'restricted');
    if (workspaceId !== null) await get(`/workspaces/${workspaceId}`, 'restricted');
  }

  // Bodies that are not valid.
  for (const body of ['{', '[]', {}, { type: 7 }, { type: 'no type' }, { ...created, unknown: 1 }]) {
    await request('POST', '/events', body);
  }
  await request('POST', '/events', JSON.stringify(created), { headers: { 'Content-Type': 'text/plain' } });
  await request('POST', '/events', JSON.stringify(created), {
    headers: { 'Content-Type': 'application/json; charset=iso-8859-1' },
  });
  const sized = (bytes: number) => request('POST', '/events', '{'.padEnd(bytes, ' '));
  if ((await sized((SIZES.at(-1) ?? 0) + 1)).status === 413) {
    for (const size of SIZES) {
      await sized(size);
      if ((await sized(size + 1)).status === 413) break;
    }
  }

  if (endpointUrl === null || workspaceId === null) return;
  const webhook = { workspace_id: workspaceId, url: endpointUrl, events: [created.type] };
  await request('POST', '/webhooks', webhook, withKey('b'));
  await request('POST', '/webhooks', { ...webhook, url: 'http://127.0.0.1:9/svc-gaps' });
  await request('POST', '/webhooks', { ...webhook, events: ['*'] });
  // The same idempotency key as that of the first event.
  await request('POST', '/webhooks', webhook, withKey('a'));
}
