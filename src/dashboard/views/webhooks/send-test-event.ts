import { isSubscribedTo } from '../../../domain/event.ts';
import type { WebhookDetail } from '../../../resources/endpoint.ts';
import { control } from '../../control.ts';
import { navigate } from '../../router.ts';

/** Sends the fixture of a type that the endpoint subscribes to, only to this endpoint, and opens its delivery. */
export async function sendTestEvent({ id, events }: Pick<WebhookDetail, 'id' | 'events'>): Promise<void> {
  const fixtures = (await control.listFixtures({})).data.filter(({ problem }) => problem === null);
  const fixture = fixtures.find(({ type }) => isSubscribedTo(events, type));
  const type = fixture?.type ?? events[0] ?? '';
  const payload = fixture === undefined ? '{}' : (await control.getFixture({ type })).payload_text;
  const delivery = await control.sendTestEvent({ id, type, payload_text: payload });
  navigate({ section: 'deliveries', id: delivery.id });
}
