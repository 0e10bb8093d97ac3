/** The address of the page: the workspace in its query (`?ws=ws_…`), and the route in its fragment. */
import { batch, signal } from '@preact/signals';
import { parseHash, toHash } from './address.ts';

type Target = Parameters<typeof toHash>[0];

export const route = signal(parseHash(location.hash));

let shownUrl = location.href;

/** Null for the default workspace. */
export const addressWorkspaceId = signal(readWorkspaceId());

/** What an entry of the browser history stores. */
interface EntryState {
  readonly entryId: string;
  /** Whether the entry belongs to a dialog, so that Back closes it and shows the same page. */
  readonly isDialog: boolean;
}

let entryCount = 0;
/** Changes of the history that wait until `history.back()` has ended; null when they need not wait. */
let queuedChanges: (() => void)[] | null = null;

history.replaceState(createEntry(), '');
// Also sent when a link changes the fragment.
addEventListener('popstate', () => {
  identifyEntry();
  readAddress();
  const changes = queuedChanges ?? [];
  queuedChanges = null;
  for (const change of changes) change();
});

/** Identifies the current entry of the browser history. It is the same after Back. */
export function getEntryId(): string {
  return getEntryState().entryId;
}

/** @param workspaceId selects another workspace */
export function navigate(to: Target, workspaceId = addressWorkspaceId.peek()): void {
  changeHistory(() => {
    const url = toUrl(to, workspaceId);
    if (getEntryState().isDialog) history.replaceState(createEntry(), '', url);
    else history.pushState(createEntry(), '', url);
    readAddress();
  });
}

/** Navigates without a history entry. */
export function replaceRoute(to: Target, workspaceId = addressWorkspaceId.peek()): void {
  changeHistory(() => {
    history.replaceState(history.state, '', toUrl(to, workspaceId));
    readAddress();
  });
}

/**
 * Adds a history entry for a dialog, so that Back calls `onBack`.
 * @returns a function that removes the entry
 */
export function addDialogEntry(onBack: () => void): () => void {
  const entry: EntryState = { ...createEntry(), isDialog: true };
  changeHistory(() => history.pushState(entry, ''));
  const closeAfterBack = () => {
    if (getEntryId() !== entry.entryId) onBack();
  };
  addEventListener('popstate', closeAfterBack);
  return () => {
    removeEventListener('popstate', closeAfterBack);
    if (getEntryId() !== entry.entryId) return;
    queuedChanges = [];
    history.back();
  };
}

function changeHistory(change: () => void): void {
  if (queuedChanges === null) change();
  else queuedChanges.push(change);
}

function getEntryState(): EntryState {
  return history.state;
}

function createEntry(): EntryState {
  entryCount++;
  return { entryId: `${performance.timeOrigin} ${entryCount}`, isDialog: false };
}

/** An entry that the browser has created for a link has no state. */
function identifyEntry(): void {
  if (history.state === null) history.replaceState(createEntry(), '');
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
