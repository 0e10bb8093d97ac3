/** The state of the emulator and the selected workspace. */
import { computed, effect, signal } from '@preact/signals';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import type { Workspace } from '../contract/resources.ts';
import { control, isConnected } from './control.ts';
import { subscribe } from './live-stream.ts';

/** Undefined until the first response. */
export const status = signal<EmulatorStatus>();
export const workspaces = signal<readonly Workspace[]>([]);

const STORAGE_KEY = 'svc.workspace';
const selectedWorkspaceId = signal(sessionStorage.getItem(STORAGE_KEY));

/** ID of the selected workspace; undefined until the first response. */
export const workspaceId = computed(() => {
  const workspace = workspaces.value.find(({ id }) => id === selectedWorkspaceId.value);
  return workspace?.id ?? status.value?.workspace_id;
});

export function selectWorkspace(id: string): void {
  sessionStorage.setItem(STORAGE_KEY, id);
  selectedWorkspaceId.value = id;
}

const RETRY_MS = 1_000;

/**
 * Loads the status and the workspaces, and reloads them when the live stream reconnects, after a reset, and when an
 * event happens in an unknown workspace.
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
    const [emulatorStatus, { data }] = await Promise.all([
      control.getStatus({}),
      control.listWorkspaces({ limit: 1000 }),
    ]);
    status.value = emulatorStatus;
    workspaces.value = data;
  } catch {
    // After a lost connection, the next one loads the session.
    if (isConnected.peek()) setTimeout(() => void loadSession(), RETRY_MS);
  }
}
