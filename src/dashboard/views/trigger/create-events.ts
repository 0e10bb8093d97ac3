/** Creates events through the public API (§4). The requests appear in the request log like those of any client. */

import { SvcError } from '../../../domain/errors.ts';
import { mapAtRate } from '../../../platform/map-at-rate.ts';
import { control } from '../../control.ts';
import { status } from '../../session.ts';
import { type ApiError, parseApiError, type TriggerInput, toRequest } from './trigger-input.ts';

export interface CreatedEvents {
  /** In the order of creation. */
  readonly ids: readonly string[];
  /** How many of them an earlier request with the same idempotency key had created. */
  readonly replayedCount: number;
  /** The rejection that ended the creation. */
  readonly error: ApiError | null;
}

interface CreateOptions {
  readonly signal?: AbortSignal;
  readonly onChange?: (events: CreatedEvents) => void;
}

/**
 * Resolves when all events are created, when one is rejected, or when `signal` is aborted.
 * @throws SvcError `no_emulator` when the connection fails
 */
export async function createEvents(
  input: TriggerInput,
  { signal, onChange }: CreateOptions = {},
): Promise<CreatedEvents> {
  const rejection = new AbortController();
  const signals = AbortSignal.any([rejection.signal, ...(signal ? [signal] : [])]);
  let created: CreatedEvents = { ids: [], replayedCount: 0, error: null };
  const create = async (index: number) => {
    const response = await sendRequest(input, index + 1);
    const text = await response.text();
    if (response.ok) {
      const isReplayed = response.headers.get('idempotent-replayed') === 'true';
      const ids = [...created.ids, JSON.parse(text).id];
      created = { ...created, ids, replayedCount: created.replayedCount + Number(isReplayed) };
    } else {
      // The next event gets another key.
      if (response.status === 401) createdKeys.delete(input.workspaceId);
      created = { ...created, error: parseApiError(response.status, text) };
      // After one rejection, further requests would be rejected too.
      rejection.abort();
    }
    onChange?.(created);
  };
  // Only the number of simultaneous requests is limited.
  const options = { count: input.count, perSecond: Number.POSITIVE_INFINITY, signal: signals };
  await mapAtRate(create, options).catch((error) => {
    if (!signals.aborted) throw error;
  });
  return created;
}

async function sendRequest(input: TriggerInput, number: number): Promise<Response> {
  const { body, idempotencyKey } = toRequest(input, number, status.peek()?.payload_field ?? 'payload');
  const headers = {
    authorization: `Bearer ${await getApiKey(input.workspaceId)}`,
    'content-type': 'application/json',
    ...(idempotencyKey !== '' && { 'idempotency-key': idempotencyKey }),
  };
  return fetch('/v1/events', { method: 'POST', headers, body }).catch((error) => {
    throw new SvcError('no_emulator', `Cannot connect to ${location.origin}.`, { cause: error });
  });
}

/** Keys that this page created, by workspace ID. */
const createdKeys = new Map<string, Promise<string>>();

/** The key of the emulator is for one workspace. For another one, a key is created on first use. */
async function getApiKey(workspaceId: string): Promise<string> {
  const emulator = status.peek();
  if (emulator?.workspace_id === workspaceId) return emulator.api_key;
  const input = { name: 'Dashboard', scopes: ['events:write' as const], workspace_id: workspaceId };
  const key = createdKeys.get(workspaceId) ?? control.createKey(input).then((created) => created.key);
  createdKeys.set(workspaceId, key);
  key.catch(() => createdKeys.delete(workspaceId));
  return key;
}
