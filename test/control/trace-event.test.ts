import { describe, expect, it, onTestFinished } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/duration.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver, type ReceiverResponses } from '../support/test-receiver.ts';

/** A frozen emulator with an endpoint to a receiver, and an event. */
async function setUp(responses: ReceiverResponses = 200, endpointCount = 1) {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const receiver = await createReceiver(responses);
  onTestFinished(receiver.close);
  const { control } = emulator;
  const { workspace_id } = emulator.status();
  for (let index = 0; index < endpointCount; index++) {
    await control.createWebhook({ url: `${receiver.url}/${index}` });
  }
  const settle = () => control.advanceClock({ workspace_id, ms: 0 });
  const post = () => emulator.api('POST', '/events', { type: 'order.shipped', payload: {} });
  const create = async (): Promise<string> => (await post()).json.id;
  const { json, headers } = await post();
  await settle();
  const id: string = json.id;
  return { control, settle, create, workspace_id, id, requestId: headers.get('request-id') };
}

describe('the trace of an event', () => {
  it('the trace has the request, the event, its deliveries and their attempts with phases', async () => {
    const { control, id, requestId, workspace_id } = await setUp([503, 200]);
    await control.advanceClock({ workspace_id, ms: 5 * MINUTE_MS });
    const { event, request, deliveries, has_more } = await control.getEventTrace({ id });
    expect(event).toMatchObject({ id, type: 'order.shipped', delivery_counts: { succeeded: 1 } });
    expect(request).toMatchObject({ id: requestId, method: 'POST', path: '/v1/events', status: 201 });
    expect(has_more).toBe(false);
    const [delivery] = deliveries;
    expect(deliveries).toEqual([
      {
        ...(await control.listDeliveries({ event_id: id })).data[0],
        attempts: (await control.listAttempts({ delivery_id: delivery?.id ?? '' })).data.toReversed(),
      },
    ]);
    expect(delivery?.attempts).toMatchObject([
      { number: 1, response_status: 503, phases: { reused_connection: false } },
      { number: 2, response_status: 200, phases: { reused_connection: true, connect_ms: null } },
    ]);
  });

  it('the trace has replays with a new ID after their originals', async () => {
    const { control, id, settle } = await setUp(200, 2);
    const { data } = await control.listDeliveries({ event_id: id });
    const [second, first] = data.map((delivery) => delivery.id);
    const replay = await control.replayDelivery({ id: first ?? '', new_id: true });
    const copy = await control.replayDelivery({ id: replay.id, new_id: true });
    await settle();
    const { deliveries } = await control.getEventTrace({ id });
    expect(deliveries.map(({ id, replay_of }) => [id, replay_of])).toEqual([
      [first, null],
      [second, null],
      [replay.id, first],
      [copy.id, replay.id],
    ]);
  });

  it('the trace is returned in pages of deliveries', async () => {
    const { control, id } = await setUp(200, 3);
    const all = (await control.getEventTrace({ id })).deliveries.map((delivery) => delivery.id);
    const first = await control.getEventTrace({ id, limit: 2 });
    expect(first).toMatchObject({ has_more: true, end_cursor: all[1] });
    const second = await control.getEventTrace({ id, limit: 2, starting_after: String(first.end_cursor) });
    expect(second).toMatchObject({ has_more: false, end_cursor: all[2] });
    expect([...first.deliveries, ...second.deliveries].map((delivery) => delivery.id)).toEqual(all);
    expect(await control.getEventTrace({ id, limit: 3 })).toMatchObject({ has_more: false });
  });

  it('a page of a trace cannot start after a delivery of another event', async () => {
    const { control, id, create } = await setUp();
    const other = await create();
    const [delivery] = (await control.listDeliveries({ event_id: other })).data;
    const input = { id, starting_after: delivery?.id ?? '' };
    await expect(control.getEventTrace(input)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('the trace has only the newest 20 attempts of a delivery', async () => {
    const { control, id, settle } = await setUp();
    const { data } = await control.listDeliveries({ event_id: id });
    for (let count = 0; count < 21; count++) {
      await control.replayDelivery({ id: data[0]?.id ?? '' });
      await settle();
    }
    const [delivery] = (await control.getEventTrace({ id })).deliveries;
    expect(delivery?.attempt_count).toBe(22);
    expect(delivery?.attempts.map(({ number }) => number)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 3),
    );
  });

  it('an event without deliveries has an empty trace', async () => {
    const { control, id } = await setUp(200, 0);
    expect(await control.getEventTrace({ id })).toMatchObject({ deliveries: [], end_cursor: null });
  });

  it('an attempt that a fault dropped has no phases', async () => {
    const { control, id, workspace_id } = await setUp(503);
    await control.addFault({ on: 'delivery', kind: 'drop' });
    await control.advanceClock({ workspace_id, ms: HOUR_MS });
    const [delivery] = (await control.getEventTrace({ id })).deliveries;
    expect(delivery?.attempts.map(({ phases }) => phases === null)).toEqual([false, true, true]);
  });
});
