import type { WebhookDetail } from '../../../contract/resources.ts';
import { WILDCARD_SUBSCRIPTION } from '../../../domain/event.ts';
import { control } from '../../control.ts';
import { navigate } from '../../router.ts';
import { startRun } from '../trigger/trigger-runs.ts';

/** Sends the fixture of a type that the endpoint subscribes to, and opens its delivery. */
export async function sendTestEvent({
  id,
  events,
  workspace_id: workspaceId,
}: Pick<WebhookDetail, 'id' | 'events' | 'workspace_id'>): Promise<void> {
  const fixtures = (await control.listFixtures({})).data.filter(({ problem }) => problem === null);
  const isSubscribed = (type: string) => events.includes(WILDCARD_SUBSCRIPTION) || events.includes(type);
  const fixture = fixtures.find(({ type }) => isSubscribed(type));
  const type = fixture?.type ?? events[0] ?? '';
  const payload = fixture === undefined ? '{}' : (await control.getFixture({ type })).payload_text;
  const { eventIds, error } = await startRun({ type, payload, workspaceId, idempotencyKey: '', count: 1 });
  if (error !== null) throw new Error(error.message);
  const [eventId = ''] = eventIds;
  const { data } = await control.listDeliveries({ event_id: eventId, webhook_id: id, limit: 1 });
  const [delivery] = data;
  navigate(
    delivery === undefined ? { section: 'events', id: eventId } : { section: 'deliveries', id: delivery.id },
  );
}
