/** The address of the page: the workspace in its query (`?ws=ws_…`), and the route in its fragment. */
import { batch, signal } from '@preact/signals';
import { parseHash, toHash } from './address.ts';

type Target = Parameters<typeof toHash>[0];

export const route = signal(parseHash(location.hash));

let shownUrl = location.href;

/** Null for the default workspace. */
export const addressWorkspaceId = signal(readWorkspaceId());

let entryCount = 0;

history.replaceState(createEntry(), '');
// Also sent when a link changes the fragment.
addEventListener('popstate', () => {
  // An entry that the browser has created for a link has no state.
  if (history.state === null) history.replaceState(createEntry(), '');
  readAddress();
});

/** Identifies the current entry of the browser history. It is the same after Back. */
export function getEntryId(): string {
  return history.state.entryId;
}

/** @param workspaceId selects another workspace */
export function navigate(to: Target, workspaceId = addressWorkspaceId.peek()): void {
  history.pushState(createEntry(), '', toUrl(to, workspaceId));
  readAddress();
}

/** Navigates without a history entry. */
export function replaceRoute(to: Target, workspaceId = addressWorkspaceId.peek()): void {
  history.replaceState(history.state, '', toUrl(to, workspaceId));
  readAddress();
}

/** What an entry of the browser history stores. */
function createEntry(): { readonly entryId: string } {
  entryCount++;
  return { entryId: `${performance.timeOrigin} ${entryCount}` };
}

/** Changes query values without a history entry; an empty value removes its key. */
export function updateQuery(changes: Readonly<Record<string, string>>): void {
  const { section, id, query } = route.value;
  replaceRoute({ section, id, query: { ...query, ...changes } });
}

function readAddress(): void {
  if (location.href === shownUrl) return;
  shownUrl = location.href;
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
