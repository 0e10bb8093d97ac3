import { control } from '../../control.ts';
import { listen } from '../../live.ts';
import { status } from '../../session.ts';

/** Keys that this page has made, by their workspaces. */
const made = new Map<string, Promise<string>>();

/**
 * The key that events of a workspace are created with: the emulator's own, which is for one workspace, and for another
 * workspace one that is made for it when it is first needed.
 */
export async function getApiKey(workspaceId: string): Promise<string> {
  const own = status.peek();
  if (own?.workspace_id === workspaceId) return own.api_key;
  const key = made.get(workspaceId) ?? makeKey(workspaceId);
  made.set(workspaceId, key);
  key.catch(() => made.delete(workspaceId));
  return key;
}

/** The next event is created with another key: the one of before was refused. */
export function forgetApiKey(workspaceId: string): void {
  made.delete(workspaceId);
}

async function makeKey(workspaceId: string): Promise<string> {
  return (await control.createKey({ scopes: ['events:write'], workspace_id: workspaceId })).key;
}

// A state that was replaced has other keys.
listen((items) => {
  if (items.some(({ type }) => type === 'reset')) made.clear();
});
