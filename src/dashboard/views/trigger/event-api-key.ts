import { control } from '../../control.ts';
import { subscribe } from '../../live-stream.ts';
import { status } from '../../session.ts';

/** Keys that this page has made, by their workspaces. */
const createdKeys = new Map<string, Promise<string>>();

/**
 * The key that events of a workspace are created with: the emulator's own, which is for one workspace, and for another
 * workspace one that is made for it when it is first needed.
 */
export async function getEventApiKey(workspaceId: string): Promise<string> {
  const own = status.peek();
  if (own?.workspace_id === workspaceId) return own.api_key;
  const key = createdKeys.get(workspaceId) ?? createKey(workspaceId);
  createdKeys.set(workspaceId, key);
  key.catch(() => createdKeys.delete(workspaceId));
  return key;
}

/** The next event is created with another key: the one of before was refused. */
export function forgetEventApiKey(workspaceId: string): void {
  createdKeys.delete(workspaceId);
}

async function createKey(workspaceId: string): Promise<string> {
  return (await control.createKey({ scopes: ['events:write'], workspace_id: workspaceId })).key;
}

// A state that was replaced has other keys.
subscribe((items) => {
  if (items.some(({ type }) => type === 'reset')) createdKeys.clear();
});
