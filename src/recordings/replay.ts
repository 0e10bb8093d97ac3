/** Sends recorded requests to an emulator, with its own IDs and keys, at the recorded times. */
import type { WallClock } from '../domain/clock.ts';
import { scopes } from '../domain/credentials.ts';
import { parseUrl } from '../domain/http-url.ts';
import { needsLookup } from '../domain/webhook-url.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import type { Overrides } from '../profile/resolve-rules.ts';
import { type ApiRequest, isSuccess, toApiRequest } from './sort-recording.ts';

interface Workspace {
  readonly workspace_id: string;
  readonly api_key: string;
}

/** An emulator in memory. */
export interface ReplayTarget {
  readonly control: Pick<ControlPlane, 'createKey' | 'createWorkspace' | 'updateWebhook'>;
  status(): Workspace & { readonly base_url: string };
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
      const sent = await send(recorded);
      if (sent === null) continue;
      const { emulated, workspaceId } = sent;
      const idempotencyKey = recorded.headers.get('idempotency-key') ?? '';
      const key = `${workspaceId} ${idempotencyKey}`;
      const pair = { recorded, emulated, earlier: byKey.get(key) ?? null };
      pairs.push(pair);
      if (idempotencyKey !== '' && pair.earlier === null && isSuccess(recorded) && isSuccess(emulated))
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
  const { base_url: baseUrl, ...first } = status();
  /** IDs of the emulator by those of the recording. */
  const ids = new Map<string, string>();
  /** By the recorded ID, and by the idempotency key of the last request to it. */
  const workspaces = new Map<string, Workspace>();
  const mapIds = (text: string) => text.replace(ID, (id) => ids.get(id) ?? id);

  /** A request that names no workspace belongs to that of the last request with the same idempotency key, or without one. */
  async function findWorkspace({ status, headers, input, result }: ApiRequest, address: readonly string[]) {
    const key = headers.get('idempotency-key') ?? '';
    const named = [result.workspace_id, input.workspace_id, ...address].map(String);
    const recordedId = named.find((id) => id.startsWith('ws_'));
    const known = workspaces.get(recordedId ?? key) ?? (workspaces.size === 0 ? first : undefined);
    if (recordedId === undefined || status === 404) return known ?? first;
    const workspace = known ?? (await createWorkspace(recordedId));
    workspaces.set(recordedId, workspace).set(key, workspace);
    ids.set(recordedId, workspace.workspace_id);
    return workspace;
  }

  async function createWorkspace(name: string): Promise<Workspace> {
    const { id } = await control.createWorkspace({ name });
    const { key } = await control.createKey({ workspace_id: id, scopes: [...scopes] });
    return { workspace_id: id, api_key: key };
  }

  /** A key with the access that the recorded response shows. The recording contains no keys. */
  async function findKey({ status, method }: ApiRequest, workspace: Workspace): Promise<string> {
    if (status !== 403) return workspace.api_key;
    const scope = method === 'GET' ? 'events:write' : 'events:read';
    return (await control.createKey({ workspace_id: workspace.workspace_id, scopes: [scope] })).key;
  }

  async function send(recorded: ApiRequest, workspace: Workspace) {
    const { path, url, method, headers, body } = recorded;
    const base = /^\/v\d+\//.test(path) ? baseUrl.replace(/\/v1$/, '') : baseUrl;
    const sent = [...headers].filter(([name]) => ['content-type', 'idempotency-key'].includes(name));
    if (recorded.status !== 401) sent.push(['authorization', `Bearer ${await findKey(recorded, workspace)}`]);
    // Bytes, because the request of a text gets a Content-Type.
    const bytes = Buffer.from(typeof body === 'string' ? mapIds(body) : body);
    const content = bytes.length === 0 || method === 'GET' ? null : bytes;
    const response = await fetch(base + mapIds(path + url.search), { method, headers: sent, body: content });
    const { status, headers: responseHeaders } = response;
    return { status, responseHeaders: new Map(responseHeaders), responseText: await response.text() };
  }

  return async (recorded: ApiRequest) => {
    const { path, url, operation, result } = recorded;
    const isAccepted = isSuccess(recorded);
    const address = (path + url.search).match(ID) ?? [];
    const workspace = await findWorkspace(recorded, address);
    if (isAccepted && operation !== null && !address.every((id) => ids.has(id))) return null;
    const emulated = toApiRequest({ ...recorded, ...(await send(recorded, workspace)) }, path);
    const { id } = emulated.result;
    if (isAccepted && isSuccess(emulated)) ids.set(String(result.id), String(id));
    // The emulator must not send anything to a recorded URL.
    if (operation === 'createWebhook' && isSuccess(emulated)) {
      await control.updateWebhook({ id: String(id), disabled: true });
    }
    return { emulated, workspaceId: workspace.workspace_id };
  };
}
