/** The address of the page: the workspace in its query (`?ws=ws_…`), and the route in its fragment. */
import { batch, signal } from '@preact/signals';
import { parseHash, toHash } from './address.ts';

type Target = Parameters<typeof toHash>[0];

export const route = signal(parseHash(location.hash));

/** Null for the default workspace. */
export const addressWorkspaceId = signal(readWorkspaceId());

// Also sent when only the fragment changes.
addEventListener('popstate', readAddress);

/** @param workspaceId selects another workspace */
export function navigate(to: Target, workspaceId = addressWorkspaceId.peek()): void {
  history.pushState(null, '', toUrl(to, workspaceId));
  readAddress();
}

/** Navigates without a history entry. */
export function replaceRoute(to: Target, workspaceId = addressWorkspaceId.peek()): void {
  history.replaceState(null, '', toUrl(to, workspaceId));
  readAddress();
}

/** Changes query values without a history entry; an empty value removes its key. */
export function updateQuery(changes: Readonly<Record<string, string>>): void {
  const { section, id, query } = route.value;
  replaceRoute({ section, id, query: { ...query, ...changes } });
}

function readAddress(): void {
  batch(() => {
    route.value = parseHash(location.hash);
    addressWorkspaceId.value = readWorkspaceId();
  });
}

function readWorkspaceId(): string | null {
  return new URLSearchParams(location.search).get('ws');
}

function toUrl(to: Target, workspaceId: string | null): string {
  const search = workspaceId === null ? '' : `?${new URLSearchParams({ ws: workspaceId })}`;
  return `${location.pathname}${search}${toHash(to)}`;
}
