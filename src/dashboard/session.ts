/** Which emulator this page is of, and the workspace that it shows. */
import { computed, effect, signal } from '@preact/signals';
import type { EmulatorStatus } from '../contract/emulator.ts';
import type { Workspace } from '../contract/resources.ts';
import { isConnected } from './connection.ts';
import { control } from './control.ts';
import { listen } from './live.ts';

/** Undefined until the emulator has answered. */
export const status = signal<EmulatorStatus>();
export const workspaces = signal<readonly Workspace[]>([]);

const CHOICE = 'svc.workspace';
const chosen = signal(sessionStorage.getItem(CHOICE));

/** Id of the workspace whose things are shown; undefined until the emulator has answered. */
export const workspaceId = computed(() => {
  const known = workspaces.value.find(({ id }) => id === chosen.value);
  return known?.id ?? status.value?.workspace_id;
});

export function chooseWorkspace(id: string): void {
  sessionStorage.setItem(CHOICE, id);
  chosen.value = id;
}

/**
 * Asks the emulator who it is, again whenever the live stream stands anew, because another one may have taken its place,
 * when its state was replaced, and when something happens in a workspace that came since.
 */
export function openSession(): void {
  effect(() => {
    if (isConnected.value !== false) void load();
  });
  const sought = new Set<string>();
  listen((items) => {
    const ids = items.flatMap((item) => ('delivery' in item ? [item.delivery.workspace_id] : []));
    const isNew = ids.some((id) => !sought.has(id));
    for (const id of ids) sought.add(id);
    if (isNew || items.some(({ type }) => type === 'reset')) void load();
  });
}

/** Asks for the status alone. Where nobody answers, the live stream shows that the connection is lost. */
export async function lookAtStatus(): Promise<void> {
  await control.getStatus({}).then(
    (emulator) => {
      status.value = emulator;
    },
    () => undefined,
  );
}

async function load(): Promise<void> {
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
