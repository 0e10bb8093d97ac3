/** Sends recorded requests to an emulator, with its own IDs and keys, at the recorded times. */
import type { WallClock } from '../domain/clock.ts';
import { parseUrl } from '../domain/http-url.ts';
import { needsLookup } from '../domain/webhook-url.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import type { Overrides } from '../profile/resolve-rules.ts';
import { type ApiRequest, isSuccess, toApiRequest } from './sort-recording.ts';

/** An emulator in memory. */
export interface ReplayTarget {
  readonly control: Pick<ControlPlane, 'createKey' | 'updateWebhook'>;
  status(): { readonly base_url: string; readonly workspace_id: string; readonly api_key: string };
  close(): Promise<void>;
}

/** Starts an emulator with the configuration of the project and these overrides. */
export type StartTarget = (overrides: Overrides, wall: WallClock) => Promise<ReplayTarget>;

/** The two responses to a recorded request. */
export interface Pair {
  readonly recorded: ApiRequest;
  readonly emulated: ApiRequest;
  /** The first request with the same idempotency key that both accepted; null if there is none. */
  readonly earlier: Pair | null;
}

export async function replay(
  requests: readonly ApiRequest[],
  overrides: Overrides,
  start: StartTarget,
): Promise<Pair[]> {
  const [first] = requests;
  if (first === undefined) return [];
  let now = first.at;
  const target = await start(overrides, { now: () => now, monotonic: () => now - first.at });
  const send = createSender(target);
  const pairs: Pair[] = [];
  const byKey = new Map<string, Pair>();
  try {
    for (const recorded of requests.filter(canReplay)) {
      now = recorded.at;
      const emulated = await send(recorded);
      if (emulated === null) continue;
      const key = recorded.headers.get('idempotency-key') ?? '';
      const pair = { recorded, emulated, earlier: byKey.get(key) ?? null };
      pairs.push(pair);
      if (key !== '' && pair.earlier === null && isSuccess(recorded) && isSuccess(emulated))
        byKey.set(key, pair);
    }
    return pairs;
  } finally {
    await target.close();
  }
}

/** Browsers send OPTIONS, and a rate limit (429) depends on requests that were not recorded. */
function canReplay({ method, status, isBodyComplete, operation, input }: ApiRequest): boolean {
  const isComparable = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method);
  const url = operation === 'createWebhook' ? parseUrl(String(input.url)) : null;
  const asksDns = url !== null && needsLookup('local', url);
  return isComparable && ![304, 408, 429].includes(status) && isBodyComplete && !asksDns;
}

/** IDs of events, workspaces and endpoints. */
const ID = /\b(?:evt|ws|wh)_\w+/g;

/** Returns a function that resolves to null for a request about something that was created before the recording. */
function createSender({ control, status }: ReplayTarget) {
  const { base_url: baseUrl, workspace_id: workspaceId, api_key: apiKey } = status();
  /** IDs of the emulator by those of the recording. All workspaces of the recording are one. */
  const ids = new Map<string, string>();
  const mapIds = (text: string) => text.replace(ID, (id) => ids.get(id) ?? id);

  /** A key with the access that the recorded response shows. The recording contains no keys. */
  async function findKey({ status, method }: ApiRequest): Promise<string> {
    if (status !== 403) return apiKey;
    const scope = method === 'GET' ? 'events:write' : 'events:read';
    return (await control.createKey({ workspace_id: workspaceId, scopes: [scope] })).key;
  }

  async function send(recorded: ApiRequest) {
    const { path, url, method, headers, body } = recorded;
    const base = /^\/v\d+\//.test(path) ? baseUrl.replace(/\/v1$/, '') : baseUrl;
    const sent = [...headers].filter(([name]) => ['content-type', 'idempotency-key'].includes(name));
    if (recorded.status !== 401) sent.push(['authorization', `Bearer ${await findKey(recorded)}`]);
    // Bytes, because the request of a text gets a Content-Type.
    const bytes = Buffer.from(typeof body === 'string' ? mapIds(body) : body);
    const content = bytes.length === 0 || method === 'GET' ? null : bytes;
    const response = await fetch(base + mapIds(path + url.search), { method, headers: sent, body: content });
    const { status, headers: responseHeaders } = response;
    return { status, responseHeaders: new Map(responseHeaders), responseText: await response.text() };
  }

  return async (recorded: ApiRequest): Promise<ApiRequest | null> => {
    const { path, url, operation, result } = recorded;
    const isAccepted = isSuccess(recorded);
    const address = (path + url.search).match(ID) ?? [];
    const named = `${address} ${recorded.body} ${result.workspace_id}`.match(ID) ?? [];
    const workspaceIds = recorded.status === 404 ? [] : named.filter((id) => id.startsWith('ws_'));
    for (const id of workspaceIds) ids.set(id, workspaceId);
    if (isAccepted && operation !== null && !address.every((id) => ids.has(id))) return null;
    const emulated = toApiRequest({ ...recorded, ...(await send(recorded)) }, path);
    const { id } = emulated.result;
    if (isAccepted && isSuccess(emulated)) ids.set(String(result.id), String(id));
    // The emulator must not send anything to a recorded URL.
    if (operation === 'createWebhook' && isSuccess(emulated)) {
      await control.updateWebhook({ id: String(id), disabled: true });
    }
    return emulated;
  };
}
