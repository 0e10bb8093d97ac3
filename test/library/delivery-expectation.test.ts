/** The comparison behind `toHaveDelivered`, with a workspace in memory. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/domain/errors.ts';
import { createEmulator, createReceiver } from '../../src/index.ts';
import {
  checkExpectedDeliveries,
  type DeliveryExpectation,
  waitForExpectedDeliveries,
} from '../../src/library/delivery-expectation.ts';
import type { Workspace } from '../../src/library/workspace.ts';
import type { Delivery } from '../../src/resources/delivery.ts';
import { aDelivery, aDetail, anAttempt } from '../cli/fake-context.ts';

const TYPE = 'order.shipped';
const delivery = (id: string, changes: Partial<Delivery> = {}) =>
  aDelivery({ id, status: 'succeeded', webhook_id: 'wh_1', ...changes });

interface State {
  /** What exists when every due attempt has ended. */
  readonly final: readonly Delivery[];
  /** What has settled after each wait. After the last one, a wait throws `error`. Without waits, `final` exists at the start. */
  readonly waits?: readonly (readonly Delivery[])[];
  readonly error?: Error;
}

async function compare(
  check: typeof waitForExpectedDeliveries,
  expectation: DeliveryExpectation,
  { final, waits = [], error = new SvcError('timeout', 'headline\n  a hint') }: State,
) {
  const calls: unknown[] = [];
  const results = [...waits];
  let settled = waits.length === 0 ? final : [];
  const workspace = {
    clock: { advance: async (by: number) => void calls.push(`advance ${by}`) },
    deliveries: {
      list: async (filter: Partial<Delivery>) => {
        if (filter.status === undefined) return settled;
        calls.push({ list: filter });
        return final.filter(({ status }) => status === filter.status);
      },
      get: async (id: string) =>
        aDetail({
          attempts: [
            anAttempt({ request: { ...anAttempt().request, body: `{"data":{"payload":{"of":"${id}"}}}` } }),
          ],
        }),
      wait: async (_: object, options: { readonly count: number; readonly timeout: number }) => {
        calls.push({ count: options.count, hasTime: options.timeout > 0 });
        const result = results.shift();
        if (result === undefined) throw error;
        settled = result;
      },
    },
  } as unknown as Workspace;
  const matches = (payload: unknown) => isDeepStrictEqual(payload, expectation.payload);
  return { ...(await check(workspace, TYPE, expectation, matches)), calls };
}

describe('checkExpectedDeliveries', () => {
  const final = [
    delivery('del_1'),
    delivery('del_2', { webhook_id: 'wh_2', url: 'http://b/' }),
    delivery('del_3', { status: 'failed' }),
  ];

  it.each<[DeliveryExpectation, boolean, ids: string[]]>([
    [{}, true, ['del_1', 'del_2']],
    [{ times: 2 }, true, ['del_1', 'del_2']],
    [{ times: 1 }, false, ['del_1', 'del_2']],
    [{ times: 3 }, false, ['del_1', 'del_2']],
    [{ times: 0, to: 'wh_9' }, true, []],
    [{ to: 'wh_9' }, false, []],
    [{ to: 'wh_2' }, true, ['del_2']],
    [{ to: 'http://b/' }, true, ['del_2']],
    [{ status: 'failed' }, true, ['del_3']],
    [{ payload: { of: 'del_1' } }, true, ['del_1']],
    [{ payload: { of: 'del_3' } }, false, []],
  ])('checkExpectedDeliveries of %j passes: %s', async (expectation, pass, ids) => {
    const result = await compare(checkExpectedDeliveries, expectation, { final });
    expect(result.pass).toBe(pass);
    expect(result.report.map((line) => /del_\d/.exec(line)?.[0])).toEqual(ids);
    expect(result.calls).toEqual([
      'advance 0',
      { list: { type: TYPE, status: expectation.status ?? 'succeeded' } },
    ]);
  });

  it('the report shows the payload if one is expected', async () => {
    const [first] = final;
    const line = '  del_1 to http://localhost:3000/webhooks: succeeded after 1 attempt';
    expect((await compare(checkExpectedDeliveries, {}, { final: [first as Delivery] })).report).toEqual([
      line,
    ]);
    const expectation = { payload: { of: 'del_1' } };
    expect((await compare(checkExpectedDeliveries, expectation, { final })).report).toEqual([
      `${line}, with {"of":"del_1"}`,
    ]);
  });
});

describe('waitForExpectedDeliveries', () => {
  const one = delivery('del_1');
  const two = delivery('del_2');
  const failed = delivery('del_3', { status: 'failed' });

  it('a wait passes with the first matching delivery', async () => {
    const { pass, calls } = await compare(waitForExpectedDeliveries, {}, { final: [], waits: [[one]] });
    expect({ pass, calls }).toEqual({ pass: true, calls: [{ count: 1, hasTime: true }] });
  });

  it('a wait for another endpoint continues until one more delivery has settled', async () => {
    const other = delivery('del_2', { webhook_id: 'wh_2' });
    const state = { final: [], waits: [[one], [one, other]] };
    const { pass, report, calls } = await compare(waitForExpectedDeliveries, { to: 'wh_2' }, state);
    expect({ pass, calls }).toEqual({
      pass: true,
      calls: [
        { count: 1, hasTime: true },
        { count: 2, hasTime: true },
      ],
    });
    expect(report).toHaveLength(1);
  });

  it('a wait fails as soon as a delivery has settled with another status', async () => {
    const state = { final: [], waits: [[one, failed]] };
    expect(await compare(waitForExpectedDeliveries, { times: 5 }, state)).toMatchObject({
      pass: false,
      report: [expect.stringContaining('del_1'), expect.stringContaining('del_3 to')],
    });
    expect(
      (await compare(waitForExpectedDeliveries, { status: 'failed' }, { final: [], waits: [[failed]] })).pass,
    ).toBe(true);
  });

  it('a wait for a number passes only if no more deliveries follow', async () => {
    const waits = [[one, two]];
    const check = async (final: Delivery[]) => {
      const { pass, calls } = await compare(waitForExpectedDeliveries, { times: 2 }, { final, waits });
      expect(calls).toContain('advance 0');
      return pass;
    };
    expect(await check([one, two])).toBe(true);
    expect(await check([one, two, delivery('del_4')])).toBe(false);
  });

  it('no deliveries are expected once every due attempt has ended, without a wait', async () => {
    const { pass, calls } = await compare(waitForExpectedDeliveries, { times: 0 }, { final: [] });
    expect(pass).toBe(true);
    expect(calls[0]).toBe('advance 0');
  });

  it('a wait that times out lists what has settled, and then the hints of the wait', async () => {
    const pending = delivery('del_5', { status: 'pending' });
    const result = await compare(waitForExpectedDeliveries, { times: 2 }, { final: [one, pending] });
    expect(result).toMatchObject({ pass: false, report: [expect.stringContaining('del_1'), '  a hint'] });
  });

  it('a wait ends before its time when nothing can change: a frozen clock, another payload or a mistyped type', async () => {
    await using receiver = await createReceiver((request) =>
      JSON.stringify(request.json).includes(TYPE) ? 200 : 500,
    );
    await using emulator = await createEmulator({ clock: { frozen: true } });
    await emulator.webhooks.create({ url: receiver.url });
    await emulator.trigger(TYPE, { a: 1 });
    await emulator.trigger('invoice.paid');
    const wait = (type: string, expectation: DeliveryExpectation) =>
      waitForExpectedDeliveries(emulator, type, { ...expectation, timeout: '1h' }, (payload) =>
        isDeepStrictEqual(payload, expectation.payload),
      );
    const results = await Promise.all([
      wait('invoice.paid', {}),
      wait(TYPE, { payload: { a: 2 } }),
      wait('order.shiped', {}),
    ]);
    expect(results.map(({ pass }) => pass)).toEqual([false, false, false]);
    const [, other, mistyped] = results.map(({ report }) => report.join('\n'));
    expect(other).toContain('succeeded after 1 attempt, with {"a":1}');
    expect(mistyped).toContain('No event of order.shiped was created.\n  Did you mean order.shipped?');
  });

  it('another error of the wait is not a result', async () => {
    for (const error of [new SvcError('interrupted', 'Interrupted.'), new Error('timeout')]) {
      await expect(compare(waitForExpectedDeliveries, {}, { final: [], error })).rejects.toBe(error);
    }
  });

  it('a wait has only the rest of its time, even if more deliveries settle after it', async () => {
    const waits = [[one], [one, two]];
    const state = { final: [], waits };
    const { pass, calls } = await compare(waitForExpectedDeliveries, { to: 'wh_9', timeout: 0 }, state);
    expect({ pass, calls }).toEqual({ pass: false, calls: [{ count: 1, hasTime: false }] });
  });
});
