import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../../src/domain/duration.ts';
import { failedResult, NOW, startDispatcher } from './dispatcher-setup.ts';

/** Makes the next call of a method fail. */
function failOnce<Name extends string>(table: Record<Name, (...args: never[]) => unknown>, name: Name): void {
  const original = table[name];
  table[name] = () => {
    table[name] = original;
    throw new Error('page on fire');
  };
}

describe('an error of the store while the dispatcher handles a change', () => {
  it('an endpoint that was enabled gets its deliveries after the pause', async () => {
    const { update, store, sent, faults, pass, moveTo, failFirst } = startDispatcher();
    const { webhook: id } = await failFirst();
    await update(id, { disabled: true });
    await moveTo(NOW + 5 * MINUTE_MS);
    failOnce(store.deliveries, 'listDueEndpoints');
    await update(id, { disabled: false });
    expect(faults).toMatchObject([{ message: 'page on fire' }]);
    pass(1_000);
    await moveTo(NOW + 5 * MINUTE_MS);
    expect(sent).toHaveLength(2);
  });

  it('an endpoint that was disabled gets no more deliveries after the pause', async () => {
    const { update, store, sent, faults, pass, moveTo, failFirst } = startDispatcher();
    const { webhook: id } = await failFirst();
    failOnce(store.deliveries, 'listDueEndpoints');
    await update(id, { disabled: true });
    expect(faults).toMatchObject([{ message: 'page on fire' }]);
    pass(1_000);
    await moveTo(NOW);
    await moveTo(NOW + 5 * MINUTE_MS);
    expect(sent).toHaveLength(1);
  });

  it('an attempt whose next due time could not be read is followed by the retry', async () => {
    const { endpoint, trigger, attempt, replay, store, sent, faults, pass, moveTo } = startDispatcher();
    endpoint();
    const [id = ''] = await trigger();
    const first = await attempt(1);
    await replay(id);
    failOnce(store.deliveries, 'getProgress');
    await first.respond(failedResult);
    expect(faults).toMatchObject([{ message: 'page on fire' }]);
    pass(1_000);
    await moveTo(NOW);
    expect(sent).toHaveLength(2);
  });

  it('one failed step is reported per pause, and the other endpoints get their deliveries', async () => {
    const { endpoint, trigger, attempt, store, sent, faults, pass, moveTo } = startDispatcher();
    const failing = endpoint('http://127.0.0.1:9/failing');
    endpoint('http://127.0.0.1:9/other');
    await trigger();
    await (await attempt(1)).respond(failedResult);
    await (await attempt(2)).respond(failedResult);
    const { deliveries, webhooks } = store;
    const failingSeq = webhooks.findSeq(failing.id);
    const { listDue } = deliveries;
    const listDueSpy = vi.spyOn(deliveries, 'listDue').mockImplementation((webhookSeq, ...rest) => {
      if (webhookSeq === failingSeq) throw new Error('page on fire');
      return listDue.call(deliveries, webhookSeq, ...rest);
    });
    const dueAt = NOW + 5 * MINUTE_MS;
    await moveTo(dueAt);
    for (let seconds = 1; seconds <= 3; seconds++) {
      pass(1_000);
      await moveTo(dueAt);
    }
    expect(faults).toHaveLength(4);
    expect(sent.slice(2)).toMatchObject([{ url: 'http://127.0.0.1:9/other' }]);
    listDueSpy.mockRestore();
    pass(1_000);
    await moveTo(dueAt);
    expect(sent.slice(3)).toMatchObject([{ url: 'http://127.0.0.1:9/failing' }]);
  });
});
