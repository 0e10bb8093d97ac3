import { control } from '../../control.ts';
import { subscribe } from '../../live-stream.ts';
import { status } from '../../session.ts';

/** Keys that this page created, by workspace ID. */
const createdKeys = new Map<string, Promise<string>>();

/**
 * The API key for events of a workspace. The key of the emulator is for one workspace; for another one, a key is created
 * on first use.
 */
export async function getEventApiKey(workspaceId: string): Promise<string> {
  const emulator = status.peek();
  if (emulator?.workspace_id === workspaceId) return emulator.api_key;
  const key = createdKeys.get(workspaceId) ?? createKey(workspaceId);
  createdKeys.set(workspaceId, key);
  key.catch(() => createdKeys.delete(workspaceId));
  return key;
}

/** Creates another key for the next event, because the previous one was rejected. */
export function forgetEventApiKey(workspaceId: string): void {
  createdKeys.delete(workspaceId);
}

async function createKey(workspaceId: string): Promise<string> {
  return (await control.createKey({ scopes: ['events:write'], workspace_id: workspaceId })).key;
}

// A reset invalidates the keys.
subscribe((items) => {
  if (items.some(({ type }) => type === 'reset')) createdKeys.clear();
});
