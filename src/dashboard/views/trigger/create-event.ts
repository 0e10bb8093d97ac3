/** Creates an event through the public API (§4). The request appears in the request log like that of any client. */
import { SvcError } from '../../../domain/errors.ts';
import { type EventParts, toEventBody } from '../../../resources/event.ts';
import { control, send } from '../../control.ts';
import { status } from '../../session.ts';

export type EventInput = Omit<EventParts, 'payloadField'>;

/** @returns the ID of the event */
export async function createEvent({ workspaceId, ...event }: EventInput): Promise<string> {
  const payloadField = status.peek()?.payload_field ?? 'payload';
  try {
    const text = await send({
      url: new URL('/v1/events', location.origin),
      method: 'POST',
      headers: {
        authorization: `Bearer ${await getApiKey(workspaceId)}`,
        'content-type': 'application/json',
      },
      body: toEventBody({ ...event, workspaceId, payloadField }),
    });
    return JSON.parse(text).id;
  } catch (error) {
    // The next event gets another key.
    if (error instanceof SvcError && error.code === 'unauthenticated') createdKeys.delete(workspaceId);
    throw error;
  }
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
