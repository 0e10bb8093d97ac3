import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tail as tailDeliveries } from '../../../src/cli/commands/deliveries.ts';
import { tail as tailLogs } from '../../../src/cli/commands/logs.ts';
import type { Context } from '../../../src/cli/context.ts';
import type { ScreenEvents, ScreenSize } from '../../../src/cli/live/screen.ts';
import type { ControlPlane, LiveStream } from '../../../src/contract/control-plane.ts';
import { createExample } from '../../../src/contract/openapi/openapi-example.ts';
import { ApiRequestDetail } from '../../../src/contract/resources.ts';
import { ExitCode, SvcError } from '../../../src/errors.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { aDelivery, aDetail, anAttempt, createFakeContext } from '../fake-context.ts';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval', 'performance'] }),
);
afterEach(() => void vi.useRealTimers());

/** A terminal that records the drawn lines and simulates key presses. */
class FakeTerminal {
  events: ScreenEvents | null = null;
  lines: readonly string[] = [];
  isOpen = false;
  readonly size: ScreenSize;

  constructor(columns: number, rows: number) {
    this.size = { columns, rows };
  }

  readonly open = (events: ScreenEvents) => {
    this.events = events;
    this.isOpen = true;
    return {
      size: this.size,
      draw: (lines: readonly string[]) => {
        this.lines = lines;
      },
      close: () => {
        this.isOpen = false;
      },
    };
  };

  /** Presses keys and waits until the result is drawn. */
  async press(...keys: readonly string[]): Promise<string> {
    for (const key of keys) this.events?.onKey(key);
    return this.drawn();
  }

  async drawn(): Promise<string> {
    await vi.advanceTimersByTimeAsync(40);
    await vi.advanceTimersByTimeAsync(40);
    return this.lines.map((line) => line.trimEnd()).join('\n');
  }
}

/** A stream that ends only when its reader stops. */
function openStream(items: readonly object[]): LiveStream & { isClosed: boolean } {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  async function* iterate() {
    for (const item of items) yield item as never;
    await ended;
  }
  const iterator = iterate();
  const stream = {
    ready: Promise.resolve(),
    isClosed: false,
    [Symbol.asyncIterator]: () => ({
      next: () => iterator.next(),
      return: () => {
        stream.isClosed = true;
        end();
        return iterator.return(undefined);
      },
    }),
  };
  return stream;
}

type Run = (options: object, context: Context) => Promise<unknown>;

/** Runs the command until its view is drawn for the first time. */
async function start(run: Run, items: readonly object[], control: Partial<ControlPlane> = {}, env = {}) {
  const terminal = new FakeTerminal(100, 12);
  const stream = openStream(items);
  const calls: object[] = [];
  const { context, capturedOutput } = createFakeContext({
    openScreen: terminal.open,
    env,
    control: {
      getStatus: async () => ({ dashboard_url: 'http://127.0.0.1:4777/', max_attempts: 8 }) as never,
      stream: (input) => {
        calls.push(input);
        return stream;
      },
      ...control,
    },
  });
  const ended = run({}, context);
  // Prevents an unhandled rejection. The tests check `ended` later.
  ended.catch(() => {});
  await terminal.drawn();
  return { terminal, stream, calls, recorded: capturedOutput, ended };
}

const failed = { type: 'attempt', sequence: 1, attempt: anAttempt(), delivery: aDelivery() };
const withResponse = {
  ...{ type: 'attempt', sequence: 2 },
  attempt: anAttempt({ outcome: 'succeeded', response_status: 200, error: null, number: 2 }),
  delivery: aDelivery({ id: 'del_2', status: 'succeeded', attempt_count: 2, next_attempt_at: null }),
};

describe('the live view of deliveries', () => {
  const run = tailDeliveries.run as Run;

  it('the live view shows rows with a countdown and prints the newest rows when it ends', async () => {
    const { terminal, recorded, calls, ended } = await start(run, [failed, withResponse]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await terminal.drawn()).toMatchInlineSnapshot(`
      "Following delivery attempts. Press Ctrl-C to stop.
        TIME      EVENT            RESPONSE  TOOK  ATTEMPT  NEXT RETRY  DELIVERY
        11:57:00  → order.shipped  ← 503     12ms  1 of 8   in 4m 59s   del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D
      ❯ 11:57:00  → order.shipped  ← 200     12ms  2 of 8               del_2







      ↑↓ select  r replay  d details  o open  q quit  ? help"
    `);
    expect(calls).toEqual([{ types: 'attempt,delivery' }]);
    expect(recorded).toEqual({ out: '', err: '' });
    terminal.events?.onKey('q');
    await ended;
    expect(terminal.isOpen).toBe(false);
    expect(recorded.out).toMatch(
      /^TIME .*\n11:57:00 {2}→ order\.shipped {2}← 503 .* del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D .*\n11:57:00 .* del_2 .*\n$/,
    );
  });

  it('the live view prints at most one screen of rows when it ends, and nothing without rows', async () => {
    const items = Array.from({ length: 30 }, (_, index) => ({ ...failed, sequence: index + 1 }));
    const many = await start(run, items);
    many.terminal.events?.onKey('ctrl-c');
    await expect(many.ended).resolves.toBe(ExitCode.interrupted);
    expect(many.recorded.out.match(/order\.shipped/g)).toHaveLength(8);
    const none = await start(run, []);
    none.terminal.events?.onKey('q');
    await none.ended;
    expect(none.recorded.out).toBe('');
  });

  it('the live view is cleared after a reset and shows a note', async () => {
    const { terminal } = await start(run, [failed, { type: 'reset', sequence: 9 }, withResponse]);
    const shown = await terminal.drawn();
    expect(shown).toContain('The state was replaced');
    expect(shown.match(/→/g)).toHaveLength(1);
    expect(shown).toContain('del_2');
    terminal.events?.onKey('q');
  });

  it('an empty live view suggests svc trigger', async () => {
    const { terminal } = await start(run, []);
    expect(await terminal.drawn()).toContain('svc trigger order.shipped');
    terminal.events?.onKey('q');
  });

  it.each([
    ['q', ExitCode.success],
    ['ctrl-c', ExitCode.interrupted],
  ])('the key %s closes the screen and the connection, and the exit code is %i', async (key, exitCode) => {
    const { terminal, stream, ended } = await start(run, [failed]);
    await terminal.press(key);
    await expect(ended).resolves.toBe(exitCode);
    expect([terminal.isOpen, stream.isClosed]).toEqual([false, true]);
  });

  it('the terminal is restored when the stream fails', async () => {
    const stream: LiveStream = {
      ready: Promise.resolve(),
      async *[Symbol.asyncIterator]() {
        yield failed as never;
        throw new SvcError('not_found', 'There is no such endpoint.');
      },
    };
    const { terminal, ended } = await start(run, [], { stream: () => stream });
    await expect(ended).rejects.toMatchObject({ code: 'not_found' });
    expect(terminal.isOpen).toBe(false);
  });

  it('notes, such as a lost connection, are shown above the key hints', async () => {
    const { terminal } = await start(run, [failed]);
    terminal.events?.onNote('Connection lost. Reconnecting…\n');
    expect((await terminal.drawn()).split('\n').at(-2)).toBe('Connection lost. Reconnecting…');
    terminal.events?.onKey('q');
  });

  it('the key d shows the request, the signed string, the response and the error of an attempt', async () => {
    const getDelivery = async () => aDetail({ attempts: [anAttempt(), anAttempt({ number: 2 })] });
    const { terminal } = await start(run, [failed], { getDelivery });
    terminal.events?.onResize({ columns: 100, rows: 40 });
    const details = await terminal.press('d');
    for (const part of [
      'Attempt 1  ✗ 503',
      'Error       the receiver responded with 503',
      'Service-Signature: v1=00',
      '"n": 9007199254740993',
      '2026-11-20T11:57:00Z.(the body)',
      '{"n":9007199254740993}',
      'busy',
    ]) {
      expect(details).toContain(part);
    }
    expect(details).not.toContain('Attempt 2');
    expect(await terminal.press('q')).toContain('→ order.shipped');
    terminal.events?.onKey('q');
  });

  it('the key r replays the selected delivery', async () => {
    const replayed: unknown[] = [];
    const replayDelivery: ControlPlane['replayDelivery'] = async (input) => {
      replayed.push(input);
      return aDelivery();
    };
    const { terminal } = await start(run, [failed, withResponse], { replayDelivery });
    expect(await terminal.press('up', 'r')).toContain(`Replaying ${failed.delivery.id}.`);
    expect(replayed).toEqual([{ id: failed.delivery.id }]);
    terminal.events?.onKey('q');
  });

  it('a failed replay is reported, and the live view stays open', async () => {
    const replayDelivery = async () => {
      throw new SvcError('conflict', 'The endpoint has been deleted.');
    };
    const { terminal } = await start(run, [failed], { replayDelivery });
    expect(await terminal.press('r')).toContain('The endpoint has been deleted.');
    terminal.events?.onKey('q');
  });

  it('the terminal is restored after an internal error', async () => {
    const replayDelivery = async () => {
      throw new TypeError('a defect');
    };
    const { terminal, ended } = await start(run, [failed], { replayDelivery });
    terminal.events?.onKey('r');
    await expect(ended).rejects.toThrow('a defect');
    expect(terminal.isOpen).toBe(false);
  });

  it('the key o opens the delivery in the dashboard', async () => {
    const script = join(createTemporaryFolder(), 'browser.cjs');
    writeFileSync(script, '');
    const { terminal } = await start(run, [failed], {}, { BROWSER: `${process.execPath} ${script} %s` });
    vi.useRealTimers();
    terminal.events?.onKey('o');
    const note = `Opened http://127.0.0.1:4777/#/deliveries/${failed.delivery.id}`;
    await vi.waitFor(() => expect(terminal.lines).toContain(note), 5_000);
    terminal.events?.onKey('q');
  });

  it('the key ? shows the help for the keys', async () => {
    const { terminal } = await start(run, []);
    expect(await terminal.press('?')).toContain('Replay the delivery');
    expect(await terminal.press('escape')).not.toContain('Replay the delivery');
    terminal.events?.onKey('q');
  });

  it.each([
    [60, 10],
    [40, 5],
    [20, 3],
    [8, 1],
  ])('the live view fits %i columns and %i rows', async (columns, rows) => {
    const { terminal } = await start(run, [failed, withResponse]);
    terminal.events?.onResize({ columns, rows });
    await terminal.drawn();
    expect(terminal.lines).toHaveLength(rows);
    expect(Math.max(...terminal.lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    terminal.events?.onKey('q');
  });

  it('the live view is readable at 60 columns and 10 rows', async () => {
    const { terminal } = await start(run, [failed, withResponse]);
    await vi.advanceTimersByTimeAsync(1_000);
    terminal.events?.onResize({ columns: 60, rows: 10 });
    expect(await terminal.drawn()).toMatchInlineSnapshot(`
      "Following delivery attempts. Press Ctrl-C to stop.
        TIME      EVENT            RESPONSE  ATTEMPT  NEXT RETRY
        11:57:00  → order.shipped  ← 503     1 of 8   in 4m 59s
      ❯ 11:57:00  → order.shipped  ← 200     2 of 8





      ↑↓ select  r replay  d details  o open  q quit  ? help"
    `);
    terminal.events?.onKey('q');
  });
});

describe('the live view of the request log', () => {
  const request = {
    ...{ id: 'req_1', at: '2026-11-20T12:00:00.123Z', method: 'POST', path: '/v1/events', status: 403 },
    ...{ error_code: 'permission_denied', duration_ms: 1.25, api_key_name: 'Checkout', workspace_id: 'ws_1' },
  };

  it('the live view shows requests and request details, without a replay key', async () => {
    const getRequest = async () => ({ ...createExample(ApiRequestDetail), ...request });
    const items = [{ type: 'request', sequence: 1, request }];
    const { terminal } = await start(tailLogs.run as Run, items, { getRequest });
    expect(await terminal.drawn()).toMatchInlineSnapshot(`
      "Following API requests. Press Ctrl-C to stop.
        AT            METHOD  PATH        STATUS  ERROR              TOOK   KEY       REQUEST
      ❯ 12:00:00.123  POST    /v1/events  403     permission_denied  1.3ms  Checkout  req_1








      ↑↓ select  d details  o open  q quit  ? help"
    `);
    expect(await terminal.press('enter')).toMatch(/Path +\/v1\/events/);
    terminal.events?.onKey('ctrl-c');
  });
});
