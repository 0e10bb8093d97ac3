/** The state of the emulator and the selected workspace. */
import { batch, computed, effect, signal } from '@preact/signals';
import { listAll } from '../contract/control-plane.ts';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import type { Workspace } from '../contract/resources.ts';
import { control, isConnected } from './control.ts';
import { storeId, subscribe } from './live-stream.ts';
import { addressWorkspaceId, navigate, replaceRoute, route } from './router.ts';
import { showNotice } from './toasts.ts';

/** Undefined until the first response. */
export const status = signal<EmulatorStatus>();
export const workspaces = signal<readonly Workspace[]>([]);

/** ID of the selected workspace; undefined until the first response, and when it does not exist. */
export const workspaceId = computed(() => {
  const { value: id } = addressWorkspaceId;
  if (id === null || status.value === undefined) return status.value?.workspace_id;
  return workspaces.value.some((workspace) => workspace.id === id) ? id : undefined;
});

/** ID of the workspace in the address when it does not exist; otherwise null. */
export const missingWorkspaceId = computed(() =>
  status.value !== undefined && workspaceId.value === undefined ? addressWorkspaceId.value : null,
);

/** Selects a workspace and leaves the open item, which belongs to another one. */
export function selectWorkspace(id: string): void {
  const { section, id: openId, query } = route.peek();
  // The attempt and the tab belong to the open item.
  const { attempt: _, tab: __, ...filter } = query;
  navigate(openId === null ? { section, query } : { section, query: filter }, toAddressId(id));
}

/** Selects the workspace of the open item, without a history entry. */
export function replaceWorkspace(id: string): void {
  if (id !== workspaceId.peek()) replaceRoute(route.peek(), toAddressId(id));
}

/** The address of the default workspace does not contain its ID. */
function toAddressId(id: string): string | null {
  return id === status.peek()?.workspace_id ? null : id;
}

const RETRY_MS = 1_000;

/**
 * Loads the status and the workspaces, and reloads them when the live stream reconnects, after a reset, and with the first
 * delivery in each workspace, which may be new.
 */
export function startSession(): void {
  effect(() => {
    if (isConnected.value !== false) void loadSession();
  });
  const knownIds = new Set<string>();
  subscribe((items) => {
    const ids = items.flatMap((item) => ('delivery' in item ? [item.delivery.workspace_id] : []));
    const isNew = ids.some((id) => !knownIds.has(id));
    for (const id of ids) knownIds.add(id);
    if (isNew || items.some(({ type }) => type === 'reset')) void loadSession();
  });
}

let knownStoreId: string | null = null;

/** The address may name a workspace and resources of the former database. */
effect(() => {
  const { value: id } = storeId;
  if (knownStoreId !== null && knownStoreId !== id) {
    showNotice('The emulator was restarted with a different database. This page has reloaded its data.');
    replaceRoute({ section: route.peek().section }, null);
  }
  knownStoreId = id;
});

/** Reloads only the status. The live stream reports a lost connection. */
export async function refreshStatus(): Promise<void> {
  await control.getStatus({}).then(
    (emulatorStatus) => {
      status.value = emulatorStatus;
    },
    () => undefined,
  );
}

async function loadSession(): Promise<void> {
  try {
    const [emulatorStatus, list] = await Promise.all([
      control.getStatus({}),
      listAll((page) => control.listWorkspaces(page)),
    ]);
    batch(() => {
      status.value = emulatorStatus;
      workspaces.value = list;
    });
  } catch {
    // After a lost connection, the next one loads the session.
    if (isConnected.peek()) setTimeout(() => void loadSession(), RETRY_MS);
  }
}
