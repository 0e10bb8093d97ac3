import { describe, expect, it } from 'vitest';
import { wait as command } from '../../../src/cli/commands/deliveries.ts';
import type { Delivery } from '../../../src/contract/delivery-schemas.ts';
import { ExitCode } from '../../../src/errors.ts';
import { aDelivery, aDetail, clockAt, createFakeContext, pageOf, streamOf } from '../fake-context.ts';

type Options = Parameters<typeof command.run>[0];

interface FakeDeliveries {
  readonly listed?: readonly Delivery[];
  readonly streamed?: readonly Delivery[];
  readonly json?: boolean;
}

async function wait(options: Options, { listed = [], streamed = [], json = false }: FakeDeliveries) {
  const { context, capturedOutput } = createFakeContext({
    json,
    control: {
      ...clockAt(),
      stream: () => streamOf(streamed.map((delivery) => ({ type: 'delivery', delivery }))),
      listDeliveries: async () => pageOf(...listed),
      getDelivery: async ({ id }) => {
        const delivery = [...listed, ...streamed].find((each) => each.id === id) ?? aDelivery();
        const error = delivery.status === 'succeeded' ? null : 'the receiver responded with 503';
        return aDetail({ ...delivery, attempts: [{ error }] as never });
      },
    },
  });
  const [result] = await Promise.allSettled([command.run(options, context)]);
  return { result, ...capturedOutput };
}

const delivery = (n: number, status: Delivery['status'], changes: Partial<Delivery> = {}) =>
  aDelivery({
    id: `del_${n}`,
    status,
    next_attempt_at: status === 'pending' ? '2026-11-20T12:00:00.000Z' : null,
    ...changes,
  });
const done = { status: 'fulfilled', value: ExitCode.success };
const notSo = { status: 'fulfilled', value: ExitCode.failure };
/** Its next attempt is due in five minutes. */
const retrying = delivery(1, 'pending', { next_attempt_at: '2026-11-20T12:05:00.000Z' });
const tooLong = { reason: { code: 'timeout', exitCode: ExitCode.timeout } };

describe('svc deliveries wait', () => {
  it('the wait succeeds when every matching delivery has settled, and prints them newest first', async () => {
    const { result, out } = await wait(
      {},
      {
        listed: [delivery(1, 'pending'), delivery(2, 'succeeded')],
        streamed: [delivery(3, 'pending'), delivery(1, 'failed'), delivery(3, 'succeeded')],
        json: true,
      },
    );
    expect(result).toMatchObject(done);
    const page = JSON.parse(out);
    expect(page.data.map(({ id, status }: Delivery) => [id, status])).toEqual([
      ['del_3', 'succeeded'],
      ['del_2', 'succeeded'],
      ['del_1', 'failed'],
    ]);
    expect(page).toMatchObject({ has_more: false, end_cursor: 'del_1' });
  });

  it('a wait that no delivery matches prints nothing', async () => {
    const { result, out } = await wait({}, {});
    expect(result).toMatchObject(tooLong);
    expect(result).toMatchObject({ reason: { message: 'No delivery matched within 30s.' } });
    expect(out).toBe('');
  });

  it('the exit code is 1 as soon as a delivery settles with another status, with the reason', async () => {
    const listed = [delivery(1, 'pending'), delivery(2, 'failed', { settled_reason: 'window_elapsed' })];
    const { result, err } = await wait(
      { status: 'succeeded' },
      { listed, streamed: [delivery(1, 'succeeded')] },
    );
    expect(result).toMatchObject(notSo);
    expect(err).toBe(
      [
        'del_2 failed after 1 attempt, no further attempt fits into the retry window: the receiver responded with 503',
        'del_1 pending after 1 attempt, next attempt due now: the receiver responded with 503',
        '',
      ].join('\n'),
    );
  });

  it('a timeout with --count reports how many deliveries have settled', async () => {
    const { result } = await wait({ count: 2, timeout: 1500 }, { listed: [delivery(1, 'succeeded')] });
    expect(result).toMatchObject({
      reason: { code: 'timeout', message: 'Only 1 of 2 deliveries settled within 1.5s.' },
    });
  });

  it.each([
    ['a timeout', { timeout: 400_000 }, tooLong],
    ['a wait in which no delivery can settle', { timeout: 1000 }, { reason: { code: 'stalled' } }],
    ['a timeout with --keep-waiting', { timeout: 1000, keepWaiting: true }, tooLong],
  ] as const)('%s prints the deliveries and explains them', async (_, options, error) => {
    const { result, out, err } = await wait(options, { listed: [retrying] });
    expect(result).toMatchObject(error);
    expect(out).toContain('del_1  … pending');
    expect(err).toBe('del_1 pending after 1 attempt, next attempt in 5m: the receiver responded with 503\n');
  });

  it('the wait stops with exit code 1 when the next attempt is due later, and names the command that sends it', async () => {
    const later = { ...retrying, id: 'del_2', next_attempt_at: '2026-11-20T12:35:00.000Z' };
    const { result } = await wait(
      {},
      { listed: [later, retrying, delivery(3, 'pending', { paused: true })] },
    );
    const { webhook_id, workspace_id } = retrying;
    expect(result).toMatchObject({
      reason: {
        exitCode: ExitCode.failure,
        message: `3 deliveries cannot settle within 30s: the next attempt is due in 5m. 1 delivery is paused: ${webhook_id} is disabled.`,
        hint: {
          text: 'Send the next attempt now',
          command: `svc clock advance 5m --workspace ${workspace_id}`,
        },
      },
    });
    const own = await wait({}, { listed: [{ ...retrying, workspace_id: 'ws_default' }] });
    expect(own.result).toMatchObject({
      reason: { hint: { command: expect.stringMatching(/svc clock advance 5m$/) } },
    });
  });

  it('at most twenty deliveries are explained', async () => {
    const listed = Array.from({ length: 23 }, (_, n) => delivery(n, 'failed'));
    const { err } = await wait({ status: 'succeeded' }, { listed });
    expect(err.trimEnd().split('\n')).toHaveLength(21);
    expect(err).toContain('… and 3 more.');
  });

  it('the wait stops when every open delivery is paused, and names the endpoint and the command that enables it [delivery.paused]', async () => {
    const paused = delivery(1, 'pending', { paused: true, next_attempt_at: null });
    const streamed = [delivery(1, 'succeeded')];
    const { result, err } = await wait(
      { timeout: 3_600_000 },
      { listed: [paused, delivery(2, 'succeeded')], streamed },
    );
    const { webhook_id: id } = paused;
    expect(result).toMatchObject({
      reason: {
        ...{
          code: 'stalled',
          exitCode: ExitCode.failure,
          message: `1 delivery is paused: ${id} is disabled.`,
        },
        hint: { text: 'Enable it', command: `svc webhooks update ${id} --enable` },
      },
    });
    expect(err).toBe(`del_1 paused after 1 attempt, ${id} is disabled: the receiver responded with 503\n`);
  });

  it('the error names at most five endpoints of paused deliveries, and counts the open ones', async () => {
    const paused = (n: number) => delivery(n, 'pending', { paused: true, webhook_id: `wh_${n}` });
    const all = Array.from({ length: 7 }, (_, n) => paused(n));
    expect((await wait({}, { listed: all })).result).toMatchObject({
      reason: {
        message: '7 deliveries are paused: wh_6, wh_5, wh_4, wh_3, wh_2, … and 2 more are disabled.',
        hint: {
          text: 'Enable the first of them',
          command: expect.stringMatching(/^svc webhooks update wh_6 --enable; .*wh_2 --enable$/),
        },
      },
    });
    expect((await wait({}, { listed: [paused(1), delivery(2, 'pending')] })).result).toMatchObject({
      reason: {
        message: '2 deliveries have not settled after 30s. 1 delivery is paused: wh_1 is disabled.',
      },
    });
  });

  it('--json prints no notes', async () => {
    const { err, out } = await wait({ status: 'succeeded' }, { listed: [delivery(1, 'failed')], json: true });
    expect(err).toBe('');
    expect(JSON.parse(out).data).toHaveLength(1);
  });
});
