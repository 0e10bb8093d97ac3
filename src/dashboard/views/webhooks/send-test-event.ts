import { isSubscribedTo } from '../../../domain/event.ts';
import type { WebhookDetail } from '../../../resources/endpoint.ts';
import { control } from '../../control.ts';
import { navigate } from '../../router.ts';
import { status } from '../../session.ts';
import { getFixturePayload } from '../trigger/get-fixture-payload.ts';

/** Sends an event of a type that the endpoint subscribes to, only to this endpoint, and opens its delivery. */
export async function sendTestEvent({ id, events }: Pick<WebhookDetail, 'id' | 'events'>): Promise<void> {
  const example = status.peek()?.example_type ?? '';
  const { data } = await control.listFixtures({});
  const hasFixture = (type: string) => data.some((each) => each.type === type);
  const other = events.find(hasFixture) ?? events[0] ?? '';
  const type = isSubscribedTo(events, example) ? example : other;
  const delivery = await control.sendTestEvent({ id, type, payload_text: await getFixturePayload(type) });
  navigate({ section: 'deliveries', id: delivery.id });
}
