/** The state of the emulator and the selected workspace. */
import { batch, computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { listAll } from '../operations/control-plane.ts';
import type { EmulatorStatus } from '../operations/emulator-schemas.ts';
import type { Workspace } from '../resources/workspace.ts';
import { control, onPoll } from './control.ts';
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
  const { section, query } = route.peek();
  // The attempt and the tab belong to the open item.
  const { attempt: _, tab: __, ...filter } = query;
  navigate({ section, query: filter }, toAddressId(id));
}

/** Selects the workspace of the open item, without a history entry. */
export function useWorkspaceOf(id: string | undefined): void {
  const isSessionLoaded = status.value !== undefined;
  useEffect(() => {
    if (id !== undefined && isSessionLoaded && id !== workspaceId.peek())
      replaceRoute(route.peek(), toAddressId(id));
  }, [id, isSessionLoaded]);
}

/** The address of the default workspace does not contain its ID. */
function toAddressId(id: string): string | null {
  return id === status.peek()?.workspace_id ? null : id;
}

/** Loads the status and the workspaces now and with each poll, also while the connection is lost. */
export function startSession(): void {
  void loadSession();
  onPoll(() => void loadSession());
}

async function loadSession(): Promise<void> {
  const loaded = await Promise.all([
    control.getStatus({}),
    listAll((page) => control.listWorkspaces(page)),
  ]).catch(() => null);
  if (loaded === null) return;
  const [emulatorStatus, list] = loaded;
  // Each database has a default workspace of its own. The address may name resources of the former one.
  const isOtherDatabase =
    status.peek() !== undefined && status.peek()?.workspace_id !== emulatorStatus.workspace_id;
  batch(() => {
    status.value = emulatorStatus;
    workspaces.value = list;
    if (!isOtherDatabase) return;
    showNotice('The emulator now has a different database. This page has reloaded its data.');
    replaceRoute({ section: route.peek().section }, null);
  });
}
