import { type ControlPlane, listAll } from '../contract/control-plane.ts';
import type { DeliveryDetail } from '../contract/delivery-schemas.ts';
import { isFaultActive } from '../domain/fault.ts';

/** IDs of the faults that can still be applied; none if no fault was applied to the attempts. */
export async function fetchActiveFaultIds(
  { attempts }: Pick<DeliveryDetail, 'attempts'>,
  control: Pick<ControlPlane, 'listFaults'>,
): Promise<ReadonlySet<string>> {
  if (attempts.every(({ fault }) => fault === undefined)) return new Set();
  const faults = await listAll((page) => control.listFaults(page));
  return new Set(faults.filter(isFaultActive).map(({ id }) => id));
}
