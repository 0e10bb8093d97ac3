import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import {
  command as deliveryCommands,
  exportNdjson,
  tail as tailCommand,
} from '../../../src/cli/commands/deliveries.ts';
import { command as replayCommand } from '../../../src/cli/commands/deliveries-replay.ts';
import { ExitCode, SvcError } from '../../../src/domain/errors.ts';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import type { WaitReport } from '../../../src/operations/wait-schemas.ts';
import type { Delivery, DeliveryDetail } from '../../../src/resources/delivery.ts';
import { exampleExplanation } from '../../support/create-example.ts';
import {
  aDelivery,
  aDetail,
  anAttempt,
  aWaitReport,
  clockAt,
  createFakeContext,
  pageOf,
  streamOf,
} from '../fake-context.ts';
import { expectGolden } from '../golden-output.ts';
import { createPromptContext } from '../prompt-context.ts';

const attempt = anAttempt();

describe('svc deliveries list', () => {
  async function list(width: number, deliveries = [aDelivery()], json = false) {
    const listDeliveries = async () => ({ ...pageOf(...deliveries), has_more: true });
    const { context, capturedOutput } = createFakeContext({
      width,
      json,
      control: { ...clockAt(), listDeliveries },
    });
    await deliveryCommands.commands.list.run({}, context);
    return capturedOutput;
  }

  it('the table of golden/deliveries-list.txt fits the terminal, and shows the original of a replay if there is one', async () => {
    const replays = [aDelivery({ id: 'del_2', replay_of: 'del_1' }), aDelivery({ id: 'del_1' })];
    await expectGolden('deliveries-list', {
      'a wide terminal': (await list(Number.POSITIVE_INFINITY)).out,
      '60 columns': (await list(60)).out,
      'a replay': (await list(Number.POSITIVE_INFINITY, replays)).out,
    });
  });

  it('standard error is empty with --json, because the page has end_cursor', async () => {
    expect((await list(60, [aDelivery()], true)).err).toBe('');
  });
});

const show = { text: 'Show what was sent', command: 'svc deliveries get del_1' };
const control = {
  getDelivery: async () => aDetail({ attempts: [attempt] }),
  explainDelivery: async () => ({ ...exampleExplanation, hints: [...exampleExplanation.hints, show] }),
};

const phases = {
  ...{ queued_ms: 0, reused_connection: false, dns_ms: null, connect_ms: null, tls_ms: null },
  ...{ send_ms: 0.1, wait_ms: 12, receive_ms: null },
};
const fault = { id: 'flt_1', kind: 'error-response' as const };
const second = { ...attempt, number: 2 };
const otherBody = { ...attempt, number: 3, request: { ...attempt.request, body: 'other' } };
const hostile = {
  ...{ headers: { 'x-a': '\x1b]0;b' }, body: 'a\x1b[2Jb\r\n', encoding: 'utf8' as const, truncated: false },
};
const failed = aDelivery({ status: 'failed', settled_reason: 'window_elapsed', next_attempt_at: null });

it('the texts of deliveries are those of golden/deliveries-get.txt', async () => {
  const texts: Record<string, string> = {};
  const deliveries: [title: string, detail: Partial<DeliveryDetail>, now?: string][] = [
    [
      'attempts: plain, with the response of a fault, on a new and on an old connection, with control sequences',
      {
        attempts: [
          attempt,
          { ...attempt, number: 2, fault },
          { ...attempt, number: 3, phases: { ...phases, dns_ms: 0.4, connect_ms: 1 } },
          { ...attempt, number: 4, phases: { ...phases, reused_connection: true } },
          { ...attempt, number: 5, response: hostile },
        ],
      },
    ],
    ['two bodies, each once', { attempts: [attempt, second, otherBody] }],
    ['a failed replay', { ...failed, replay_of: 'del_0', attempts: [attempt, second] }],
    ['a schedule clock that is ahead', { attempts: [] }, '2026-11-20T12:04:59.000Z'],
  ];
  for (const [title, detail, now] of deliveries) {
    const { context, capturedOutput } = createFakeContext({
      control: { ...control, ...clockAt(now), getDelivery: async () => aDetail(detail) },
    });
    await deliveryCommands.commands.get.run({ id: 'del_1' }, context);
    texts[title] = capturedOutput.out;
  }
  await expectGolden('deliveries-get', texts);
});

describe('svc deliveries tail', () => {
  const item = { type: 'attempt', sequence: 7, attempt, delivery: aDelivery() };

  it('--json prints a ready line and one JSON object per line until it is interrupted', async () => {
    const calls: unknown[] = [];
    const stream = (input: object) => {
      calls.push(input);
      return streamOf([item]);
    };
    const { context, capturedOutput } = createFakeContext({ json: true, control: { stream } });
    await expect(tailCommand.run({ since: '1h', type: 'order.shipped' }, context)).resolves.toBe(
      ExitCode.interrupted,
    );
    expect(
      capturedOutput.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ type: 'ready' }, item]);
    expect(calls).toEqual([{ since: '1h', type: 'order.shipped', types: 'attempt' }]);
  });

  it('the lines of an attempt are those of golden/deliveries-tail.txt', async () => {
    const texts: Record<string, string> = {};
    const error = 'connection refused by 127.0.0.1:3000 and [::1]:3000: nothing is listening there';
    const changes: [title: string, change: { attempt?: object; delivery?: object }, width?: number][] = [
      ['a failed attempt with a retry', {}],
      ['80 columns', {}, 80],
      ['a long error', { attempt: { error } }],
      ['clocks that differ', { attempt: { scheduled_at: '2026-11-20T11:55:00.000Z' } }],
      ['a retry on another day', { delivery: { next_attempt_at: '2026-11-21T00:05:00.000Z' } }],
      ['a failed delivery', { delivery: { status: 'failed', next_attempt_at: null } }],
      [
        'an attempt before the last',
        { delivery: { status: 'succeeded', next_attempt_at: null, attempt_count: 2 } },
      ],
    ];
    for (const [title, change, width = 100] of changes) {
      const changed = {
        ...item,
        attempt: { ...attempt, ...change.attempt },
        delivery: aDelivery(change.delivery),
      };
      const { context, capturedOutput } = createFakeContext({
        ...{ width, control: { stream: () => streamOf([changed]) } },
      });
      await tailCommand.run({}, context);
      texts[title] = capturedOutput.out;
    }
    await expectGolden('deliveries-tail', texts);
  });

  it('a reset is a note in text output and an item in JSON output', async () => {
    const reset = { type: 'reset', sequence: 8 };
    const stream = () => streamOf([reset]);
    const person = createFakeContext({ control: { stream } });
    await tailCommand.run({}, person.context);
    expect(person.capturedOutput).toMatchObject({
      out: '',
      err: expect.stringContaining('The state was replaced'),
    });
    const script = createFakeContext({ json: true, control: { stream } });
    await tailCommand.run({}, script.context);
    expect(script.capturedOutput.out).toContain(`${JSON.stringify(reset)}\n`);
  });
});

describe('svc deliveries replay', () => {
  function fakeEmulator(deliveries: Delivery[], after: Delivery['status'] = 'succeeded') {
    const calls: unknown[] = [];
    return {
      calls,
      listDeliveries: async (input: object) => {
        calls.push(input);
        return pageOf(...deliveries);
      },
      replayDelivery: async (input: { id: string }) => {
        calls.push(input);
        return aDelivery({ id: input.id });
      },
      stream: () => streamOf([]),
      getDelivery: async ({ id }: { id: string }) =>
        aDetail({
          ...{ id, status: after, attempt_count: after === 'pending' ? 1 : 2 },
          // A replay is due at once.
          next_attempt_at: after === 'pending' ? '2026-11-20T12:00:00.000Z' : null,
        }),
    };
  }

  it('a single delivery is printed as a resource', async () => {
    const control = fakeEmulator([]);
    const { context, capturedOutput } = createFakeContext({ json: true, control });
    await expect(replayCommand.run({ ids: ['del_1'], to: 'http://b', new_id: true }, context)).resolves.toBe(
      ExitCode.success,
    );
    expect(control.calls).toEqual([{ id: 'del_1', new_id: true, url: 'http://b' }]);
    expect(JSON.parse(capturedOutput.out).id).toBe('del_1');
  });

  it('an empty URL or body is sent to the emulator, which refuses it', async () => {
    const control = fakeEmulator([]);
    await replayCommand.run({ ids: ['del_1'], to: '', data: '' }, createFakeContext({ control }).context);
    expect(control.calls).toEqual([{ id: 'del_1', url: '', body: '' }]);
  });

  it('--failed --since replays the matching deliveries and prints a list', async () => {
    const control = fakeEmulator([aDelivery({ id: 'del_1' }), aDelivery({ id: 'del_2' })]);
    const { context, capturedOutput } = createFakeContext({ json: true, control });
    await replayCommand.run({ ids: [], failed: true, since: '1h' }, context);
    expect(control.calls).toEqual([
      { limit: 1000, status: 'failed', since: '1h' },
      { id: 'del_1' },
      { id: 'del_2' },
    ]);
    expect(JSON.parse(capturedOutput.out)).toMatchObject({
      data: [{ id: 'del_1' }, { id: 'del_2' }],
      ...{ has_more: false, end_cursor: 'del_2', refused: [] },
    });
    expect(JSON.parse(capturedOutput.err)).toEqual({
      note: { message: 'Replayed 2 deliveries: 2 pending.' },
    });
  });

  it.each<[Delivery['status'], Partial<WaitReport>, object]>([
    ['succeeded', {}, { value: ExitCode.success }],
    ['failed', { details: ['del_1 failed'] }, { value: ExitCode.failure }],
    ['pending', { settled: false, reason: 'stalled', message: 'Paused.' }, { reason: { code: 'stalled' } }],
  ])(
    '--wait prints the delivery that is %s after the wait with the result %j',
    async (status, report, expected) => {
      const waitForDeliveries = vi.fn(async () => aWaitReport([], report));
      const control = { ...fakeEmulator([], status), waitForDeliveries };
      const { context, capturedOutput } = createFakeContext({ json: true, control });
      const [result] = await Promise.allSettled([replayCommand.run({ ids: ['del_1'], wait: true }, context)]);
      const input = { ids: ['del_1'], retries: false, timeout_ms: 30_000 };
      expect(waitForDeliveries.mock.calls[0]).toMatchObject([input, {}]);
      expect(result).toMatchObject(expected);
      expect(JSON.parse(capturedOutput.out)).toMatchObject({ id: 'del_1', status });
    },
  );

  it('a refused replay is reported, the others are sent, and the exit code is 1', async () => {
    const emulator = fakeEmulator([]);
    const replayDelivery = async (input: { id: string }) => {
      if (input.id === 'del_1') throw new SvcError('conflict', 'The endpoint has been deleted.');
      return emulator.replayDelivery(input);
    };
    const { context, capturedOutput } = createFakeContext({
      control: { ...emulator, replayDelivery, waitForDeliveries: async () => aWaitReport([]) },
    });
    const run = replayCommand.run({ ids: ['del_1', 'del_2'], wait: true }, context);
    await expect(run).resolves.toBe(ExitCode.failure);
    expect(capturedOutput.out).toContain('del_2');
    expect(capturedOutput.err).toBe(
      'del_1 was not replayed: The endpoint has been deleted.\nReplayed 1 delivery: 1 succeeded.\n',
    );
  });

  it('nothing is replayed if one of several deliveries does not exist', async () => {
    const emulator = fakeEmulator([]);
    const getDelivery = async (input: { id: string }) => {
      if (input.id === 'nope') throw new SvcError('not_found', 'Delivery nope does not exist.');
      return emulator.getDelivery(input);
    };
    const { context } = createFakeContext({ control: { ...emulator, getDelivery } });
    await expect(replayCommand.run({ ids: ['del_1', 'nope'] }, context)).rejects.toMatchObject({
      exitCode: ExitCode.notFound,
      message: 'Delivery nope does not exist.',
    });
    expect(emulator.calls).toEqual([]);
  });

  it('--data - reads the new body from standard input', async () => {
    const control = fakeEmulator([]);
    const { context } = createFakeContext({ control, input: '{"a":1}' });
    await replayCommand.run({ ids: ['del_1'], data: '-' }, context);
    expect(control.calls).toEqual([{ id: 'del_1', body: '{"a":1}' }]);
  });

  it('--edit is an error for a delivery that has not been sent', async () => {
    const { context } = createPromptContext({ control: { getDelivery: async () => aDetail() } });
    await expect(replayCommand.run({ ids: ['del_1'], edit: true }, context)).rejects.toThrow(
      'del_1 has not been sent yet, so there is no body to edit.',
    );
  });

  it('--rate limits the replays, and a terminal shows the progress', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const lines: string[] = [];
    const deliveries = ['del_1', 'del_2', 'del_3'].map((id) => aDelivery({ id }));
    const emulator = fakeEmulator(deliveries);
    // One after the other, because a pause of this process can let two start at once.
    let turn: Promise<unknown> = Promise.resolve();
    const replayDelivery = (input: { id: string }) => {
      const replayed = turn
        .then(() => vi.advanceTimersByTimeAsync(250))
        .then(() => emulator.replayDelivery(input));
      turn = replayed.then(() => new Promise((resolve) => setImmediate(resolve)));
      return replayed;
    };
    const { context } = createFakeContext({
      control: { ...emulator, replayDelivery },
      progress: (line) => lines.push(line),
    });
    const startedAt = performance.now();
    await replayCommand.run({ ids: [], failed: true, rate: 20 }, context);
    vi.useRealTimers();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
    expect(lines).toEqual([
      'Replaying ░░░░░░░░░░░░░░░░░░░░░░░░ 0/3',
      'Replaying ████████░░░░░░░░░░░░░░░░ 1/3',
      'Replaying ████████████████░░░░░░░░ 2/3',
      '',
    ]);
  });
});

it('svc deliveries export writes the deliveries that match its options to standard output', async () => {
  const lines = ['{"a":"é👋"}\n', '{"b":2}\n'];
  const exportDeliveries = vi.fn<ControlPlane['exportDeliveries']>(async () => Readable.from(lines));
  const { context, capturedOutput } = createFakeContext({ control: { exportDeliveries } });
  const filter = { status: 'failed', type: 'a.b', workspace_id: 'ws_1', text: 'x', since: '2h' } as const;
  await exportNdjson.run(filter, context);
  expect(capturedOutput).toEqual({ out: lines.join(''), err: '' });
  expect(exportDeliveries.mock.calls[0]?.[0]).toEqual({ delivery_id: undefined, ...filter });
});
