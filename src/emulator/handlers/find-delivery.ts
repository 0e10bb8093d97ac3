/** Finds a delivery by its ID, or the one that matters most for an event, an endpoint or a request. */
import { SvcError } from '../../domain/errors.ts';
import { idPrefixes } from '../../domain/ids.ts';
import type { DeliveryRow } from '../../store/delivery-queries.ts';
import { getDeliveryRow, requireRow } from '../service/access.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { type FilterInput, toCondition } from './to-condition.ts';

/** Instead of an ID: the delivery that failed last. */
const LATEST = 'latest';

export interface DeliveryReference {
  /** ID of a delivery, an event, an endpoint or a request, or {@link LATEST}. */
  readonly id: string;
  readonly workspace_id?: string | undefined;
}

/** @throws SvcError `not_found` */
export function findDelivery(sandbox: Sandbox, { id, workspace_id }: DeliveryReference): DeliveryRow {
  const { store } = sandbox;
  const startsWith = (kind: keyof typeof idPrefixes) => id.startsWith(idPrefixes[kind]);
  if (startsWith('event')) return findLatest(sandbox, id, { event_id: id, workspace_id });
  if (startsWith('webhook')) return findLatest(sandbox, id, { webhook_id: id, workspace_id });
  if (id === LATEST) return findLatest(sandbox, id, { workspace_id });
  if (startsWith('request')) {
    const { resource_id: resourceId } = requireRow(store.apiRequests.find(id), 'request', id);
    if (resourceId !== null && /^(?:evt|wh)_/.test(resourceId))
      return findDelivery(sandbox, { id: resourceId });
    const message = `${id} is not a request for an event or an endpoint, so it has no delivery.`;
    const hint = { text: 'Show the request', command: `svc logs get ${id}` };
    throw new SvcError('not_found', message, { hint });
  }
  return getDeliveryRow(sandbox, id);
}

/** The delivery whose last attempt failed last; for an event or an endpoint without one, the newest delivery. */
function findLatest(sandbox: Sandbox, id: string, input: FilterInput): DeliveryRow {
  const { store } = sandbox;
  const filter = toCondition(sandbox, input, 'schedule');
  const failed = store.deliveryQueries.findLastFailed(filter);
  if (failed !== undefined) return failed;
  const [newest] =
    id === LATEST ? [] : store.deliveryQueries.list(filter, { limit: 1, beforeSeq: null }).rows;
  if (newest !== undefined) return newest;
  const message = id === LATEST ? 'No delivery has failed.' : `${id} has no deliveries.`;
  const hint = { text: 'List the deliveries', command: 'svc deliveries list' };
  throw new SvcError('not_found', message, { hint });
}
