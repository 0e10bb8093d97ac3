import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseJsonObject } from '../../src/domain/json.ts';
import { BACKLOG_LIMIT, DeliveryBacklog } from '../../src/sandbox/delivery-backlog.ts';
import { createPublicHandlers } from '../../src/sandbox/public-handlers.ts';
import { runEventLoop, startDispatcher } from '../delivery/dispatcher-setup.ts';

vi.mock('../../src/timers.ts', async () => ({
  ...(await import('../support/fakeable-timers.ts')),
  monotonic: () => performance.now(),
}));

const ENDPOINT = 7;
const OTHER_ENDPOINT = 8;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** A backlog at its limit, with a function that creates events and a list of those that were created. */
function startFull() {
  const backlog = new DeliveryBacklog();
  backlog.setLength(ENDPOINT, BACKLOG_LIMIT);
  const created: string[] = [];
  const create = (name: string, webhookSeqs = [ENDPOINT]) =>
    void Promise.resolve(backlog.waitForCapacity(() => webhookSeqs)).then(() => created.push(name));
  const start = async () => {
    backlog.onStart(ENDPOINT);
    await runPromises();
  };
  return { backlog, created, create, start };
}

async function runPromises(): Promise<void> {
  for (let i = 0; i < 3; i++) await Promise.resolve();
}

function createEventCall(workspaceId: string) {
  return {
    caller: { keySeq: 1, keyId: 'key_test', scopes: ['events:write'] as const, workspaceSeq: null },
    input: { type: 'order.shipped', workspace_id: workspaceId },
    ...{ method: 'POST', path: '/v1/events', body: null, idempotencyKey: null },
  };
}

describe('the backlog of deliveries', () => {
  it('an event waits only at the limit', () => {
    const { backlog } = startFull();
    backlog.setLength(ENDPOINT, BACKLOG_LIMIT - 1);
    expect(backlog.waitForCapacity(() => [ENDPOINT])).toBeNull();
    backlog.setLength(ENDPOINT, BACKLOG_LIMIT);
    expect(backlog.waitForCapacity(() => [ENDPOINT])).toBeInstanceOf(Promise);
  });

  it('each attempt that starts lets one event be created, in the order of their arrival', async () => {
    const { backlog, created, create, start } = startFull();
    create('first');
    create('second');
    await start();
    expect(created).toEqual(['first']);
    backlog.setLength(ENDPOINT, BACKLOG_LIMIT - 1);
    create('third');
    await start();
    expect(created).toEqual(['first', 'second']);
    await start();
    expect(created).toEqual(['first', 'second', 'third']);
  });

  it('an event waits if one of its endpoints has a full backlog, and an event for other endpoints does not', async () => {
    const { created, create, start } = startFull();
    create('both', [OTHER_ENDPOINT, ENDPOINT]);
    create('other', [OTHER_ENDPOINT]);
    await runPromises();
    expect(created).toEqual(['other']);
    await start();
    expect(created).toEqual(['other', 'both']);
  });

  it('an endpoint delays no events while none of its attempts starts', async () => {
    const { created, create, start } = startFull();
    create('first');
    await vi.advanceTimersByTimeAsync(60);
    expect(created).toEqual([]);
    await vi.advanceTimersByTimeAsync(60);
    create('second');
    await runPromises();
    expect(created).toEqual(['first', 'second']);
    await start();
    create('third');
    await runPromises();
    expect(created).toEqual(['first', 'second']);
  });

  it('an event waits at most one second', async () => {
    const { created, create, start } = startFull();
    for (let number = 0; number < 40; number++) create(`event ${number}`);
    for (let elapsedMs = 0; elapsedMs < 1_200; elapsedMs += 40) {
      await vi.advanceTimersByTimeAsync(40);
      await start();
    }
    expect(created).toHaveLength(40);
  });

  it('no event waits after the state was replaced', async () => {
    const { backlog, created, create } = startFull();
    create('waiting');
    backlog.clear();
    create('later');
    await runPromises();
    expect(created).toEqual(['waiting', 'later']);
  });

  it('the deliveries of an endpoint that wait stay below a limit when events are created faster than they are sent', async () => {
    // No endpoint is stalled, because no timer ends.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const overrides = { 'delivery.concurrency': { per_endpoint: 1, total: 64 } };
    const { endpoint, sandbox, workspace, inFlight, sent } = startDispatcher({ overrides });
    endpoint();
    const handlers = createPublicHandlers(sandbox);
    let createdCount = 0;
    let longest = 0;
    const createEvents = async () => {
      for (let i = 0; i < 14; i++) {
        await handlers.createEvent(createEventCall(workspace.id));
        longest = Math.max(longest, ++createdCount - sent.length);
      }
    };
    const clients = Array.from({ length: 16 }, createEvents);
    // Without a limit, all events are created before the first response.
    while (createdCount < BACKLOG_LIMIT) await runEventLoop(1);
    await runEventLoop(50);
    while (createdCount < 14 * clients.length || inFlight.size > 0) {
      await Promise.all(Array.from(inFlight, (attempt) => attempt.respond()));
      await runEventLoop(1);
    }
    await Promise.all(clients);
    expect(longest).toBeLessThanOrEqual(BACKLOG_LIMIT + clients.length + 1);
    expect(sent).toHaveLength(createdCount);
  });

  it('a request that repeats an Idempotency-Key does not wait, because it creates no event', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { endpoint, sandbox, store, workspace } = startDispatcher();
    const { id } = endpoint();
    const handlers = createPublicHandlers(sandbox);
    const body = { bytes: Buffer.from('{}'), json: parseJsonObject('{}') };
    const request = { ...createEventCall(workspace.id), idempotencyKey: 'key', body };
    const first = await handlers.createEvent(request);
    sandbox.backlog.setLength(store.webhooks.findSeq(id) ?? 0, BACKLOG_LIMIT);
    let repeated: unknown;
    void Promise.resolve(handlers.createEvent(request)).then((response) => {
      repeated = response;
    });
    await runEventLoop();
    vi.useRealTimers();
    expect(repeated).toEqual({ ...first, isReplayed: true });
  });
});
