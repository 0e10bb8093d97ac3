import type { ControlInput } from '../operations/control-operations.ts';
import type { Delivery } from '../resources/delivery.ts';
import { control } from './control.ts';
import { workspaceId } from './session.ts';
import { showToast, withErrorToast } from './toasts.ts';

/** The key that opens the next failing delivery. */
export const nextFailingShortcut = { key: 'f', description: 'Open the next failing delivery' } as const;

interface Search {
  /** Other filters of the list. */
  readonly filter?: ControlInput<'listDeliveries'>;
  /** ID of a delivery; null to start with the newest. */
  readonly after?: string | null;
}

/** Finds the newest failing delivery that is older than `after`, or else the newest. Undefined if none is; a toast says so. */
export async function findNextFailing({ filter, after = null }: Search = {}): Promise<Delivery | undefined> {
  const findFailing = async (cursor: { starting_after?: string }) => {
    const page = {
      workspace_id: workspaceId.value,
      ...filter,
      status: 'failing' as const,
      limit: 1,
      ...cursor,
    };
    return (await control.listDeliveries(page)).data[0];
  };
  const search = async () => {
    const older = after === null ? undefined : await findFailing({ starting_after: after });
    return older ?? (await findFailing({})) ?? null;
  };
  const found = await withErrorToast(search());
  if (found === null) showToast('No delivery is failing.');
  return found ?? undefined;
}
