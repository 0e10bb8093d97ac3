/** The requests of `svc gaps record`: harmless ones, whose responses show the behavior that the description leaves open. */
import { randomBytes } from 'node:crypto';
import { keyPrefixes } from '../domain/credentials.ts';
import { toExampleId } from '../domain/ids.ts';
import { tryParseJson } from '../domain/json.ts';
import { type Fields, type RequestLine, toFields } from './read-recording.ts';
import { isSuccess } from './sort-recording.ts';

/** Page sizes and sizes of a body at the default limits of the emulator, and larger ones. */
const PAGE_LIMITS = [0, 100, 101, 500, 1000, 1_000_000];
const BODY_SIZES = [256 * 1024, 256 * 1024 + 1, 1024 ** 2 + 1];

interface SampleOptions {
  readonly send: (request: RequestLine['request']) => Promise<{ status: number; text: string }>;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Event type of the created events. */
  readonly type: string;
}

/** Sends the requests one after the other. */
export async function sendSampleRequests(options: SampleOptions): Promise<void> {
  const { type } = options;
  // Makes the idempotency keys unique.
  const runId = randomBytes(6).toString('hex');
  const authorization = `Bearer ${options.apiKey}`;
  const send = async (method: string, path: string, headers: Record<string, string>, body = '') => {
    const url = new URL(path.replace(/^\//, ''), `${options.baseUrl}/`).href;
    const { status, text } = await options.send({ method, url, headers, body });
    return { status, result: toFields(tryParseJson(text)) };
  };
  const get = (path: string, headers: Record<string, string> = { authorization }) =>
    send('GET', path, headers);
  const post = (path: string, body: unknown, changes: Record<string, string> = {}) => {
    const headers = { 'Content-Type': 'application/json', authorization, ...changes };
    return send('POST', path, headers, typeof body === 'string' ? body : JSON.stringify(body));
  };

  // The field of the payload, and the catalog.
  let form = { type, field: 'payload' };
  let event: { status: number; result: Fields } = { status: 0, result: {} };
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
  const { id = toExampleId('event'), workspace_id: workspaceId = toExampleId('workspace') } = event.result;
  await get(`/events/${id}`);
  await get(`/workspaces/${workspaceId}`);
  let query = '';
  for (const name of ['workspace_id', 'workspace']) {
    const response = await get(`/events?${name}=${workspaceId}`);
    if (isSuccess(response) && query === '') query = `${name}=${workspaceId}&`;
  }
  const page = await get(`/events?${query}limit=1`);
  const lists = [
    `limit=1&starting_after=${page.result.end_cursor ?? toExampleId('event')}`,
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
  await send('DELETE', '/events', { authorization });

  // Requests that are not valid. The large bodies are not JSON, so that they create nothing.
  await get(`/events?${query}limit=1`, {});
  await get(`/events?${query}limit=1`, { authorization: `Bearer ${keyPrefixes.sandbox}${'0'.repeat(32)}` });
  const invalid = ['{', '[]', {}, { type: 7 }, { type: 'no type' }, { ...created, unknown: 1 }];
  const large = BODY_SIZES.map((bytes) => '{'.padEnd(bytes, ' '));
  for (const body of [...invalid, ...large]) await post('/events', body);
  await post('/events', created, { 'Content-Type': 'text/plain' });
  await post('/events', created, { 'Content-Type': 'application/json; charset=iso-8859-1' });
}
