/** Which emulator this page is of, and the workspace that it shows. */
import { computed, effect, signal } from '@preact/signals';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import type { Workspace } from '../contract/resources.ts';
import { isConnected } from './connection.ts';
import { control } from './control.ts';
import { subscribe } from './live-stream.ts';

/** Undefined until the emulator has answered. */
export const status = signal<EmulatorStatus>();
export const workspaces = signal<readonly Workspace[]>([]);

const STORAGE_KEY = 'svc.workspace';
const selectedWorkspaceId = signal(sessionStorage.getItem(STORAGE_KEY));

/** Id of the workspace whose things are shown; undefined until the emulator has answered. */
export const workspaceId = computed(() => {
  const known = workspaces.value.find(({ id }) => id === selectedWorkspaceId.value);
  return known?.id ?? status.value?.workspace_id;
});

export function selectWorkspace(id: string): void {
  sessionStorage.setItem(STORAGE_KEY, id);
  selectedWorkspaceId.value = id;
}

/**
 * Asks the emulator who it is, again whenever the live stream stands anew, because another one may have taken its place,
 * when its state was replaced, and when something happens in a workspace that came since.
 */
export function startSession(): void {
  effect(() => {
    if (isConnected.value !== false) void loadSession();
  });
  const sought = new Set<string>();
  subscribe((items) => {
    const ids = items.flatMap((item) => ('delivery' in item ? [item.delivery.workspace_id] : []));
    const isNew = ids.some((id) => !sought.has(id));
    for (const id of ids) sought.add(id);
    if (isNew || items.some(({ type }) => type === 'reset')) void loadSession();
  });
}

/** Asks for the status alone. Where nobody answers, the live stream shows that the connection is lost. */
export async function refreshStatus(): Promise<void> {
  await control.getStatus({}).then(
    (emulator) => {
      status.value = emulator;
    },
    () => undefined,
  );
}

async function loadSession(): Promise<void> {
  try {
    const [emulator, { data }] = await Promise.all([
      control.getStatus({}),
      control.listWorkspaces({ limit: 1000 }),
    ]);
    status.value = emulator;
    workspaces.value = data;
  } catch {
    // Shown as a lost connection by the live stream, which fails with it.
    isConnected.value = false;
  }
}
