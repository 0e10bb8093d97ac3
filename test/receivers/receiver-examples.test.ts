/** Runs the receivers of `svc receiver example` as programs: checks and fuzzes them, and kills them. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { MAX_JSON_DEPTH } from '../../src/domain/json-text.ts';
import { listFrameworks } from '../../src/fixtures/receiver-examples.ts';
import { sign } from '../../src/signature.ts';
import { findFreePort } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { checkReceiver, idsOf } from './check-receiver.ts';
import { SECRET } from './configurable-receiver.ts';
import { fuzzReceiver } from './fuzz/fuzz-receiver.ts';
import { isPresent, type RunningExample, startReceiver, writeReceiver } from './receiver-process.ts';

/** Each test runs once. `SVC_TEST_TIMES=20` repeats it, to find flaky results. */
const repeats = Number(process.env.SVC_TEST_TIMES ?? 1) - 1;
/** The limit of the service (gap `delivery.timeout`), because other programs run at the same time. */
const TIMEOUT_MS = 15_000;
const present = listFrameworks().filter(isPresent);
/** One for each implementation of the inbox, with the file and the line of its work, and the same line with work that fails. */
const inboxes = (
  [
    [
      'node',
      'deliveries.mjs',
      /^ {2}addSideEffect\.run/m,
      "if (type === 'test.failing') throw new Error(type);",
    ],
    [
      'workers',
      'receiver.mjs',
      /^ {2}const add = /m,
      "  if (data.type === 'test.failing') throw new Error(data.type);",
    ],
    [
      'python',
      'deliveries.py',
      /^ {4}db\.execute\("insert into side_effects/m,
      "    if event_type == 'test.failing': raise ValueError",
    ],
    [
      'go',
      'deliveries.go',
      /^\tfmt\.Printf\("processed/m,
      'if event.Type == "test.failing" { panic("failing") }',
    ],
    [
      'java',
      'Receiver.java',
      /^ {8}System\.out\.println\("processed/m,
      'if (type.equals("test.failing")) throw new IllegalStateException(type);',
    ],
    [
      'ruby',
      'deliveries.rb',
      /^ {2}DB\.execute\("insert into side_effects/m,
      "raise 'failing' if type == 'test.failing'",
    ],
    [
      'php',
      'receiver.php',
      /^ {4}\$db->prepare\('insert into side_effects/m,
      "if ($type === 'test.failing') throw new Error($type);",
    ],
  ] as const
).filter(([framework]) => present.includes(framework));

/** Returns a function that starts the receiver, always with the same files, and on the same port. */
function prepare(framework: string, context: TestContext) {
  const scratch = createTemporaryFolder(context);
  let written: Promise<string> | undefined;
  let port: number | undefined;
  return async () => {
    written ??= writeReceiver(framework, scratch);
    const folder = await written;
    port ??= await findFreePort();
    const receiver = await startReceiver(framework, { secret: SECRET, folder, port });
    context.onTestFinished(receiver.stop);
    return receiver;
  };
}

describe.concurrent('svc receiver example', { timeout: 300_000, repeats }, () => {
  it.for(present)(
    'the example receiver with %s passes svc receiver check --strict after a sender has disconnected [§6.1, §6.2, §6.3, §6.4, §6.5, §6.6]',
    async (framework, context) => {
      const receiver = await prepare(framework, context)();
      await disconnectInBody(receiver);
      const report = await checkReceiver({
        url: receiver.url,
        strict: true,
        countSideEffects: async () => (await receiver.readSideEffects()).length,
        timeoutMs: TIMEOUT_MS,
      });
      expect(report.checks.filter(({ status }) => status === 'failed')).toEqual([]);
      expect(idsOf(report, 'inconclusive')).toEqual([]);
      expect(report.ok).toBe(true);
    },
  );

  it.for(inboxes)(
    'the example receiver with %s processes each event once, even if senders disconnect and it is killed [§6.6]',
    async ([framework], context) => {
      const start = prepare(framework, context);
      const events: Delivery[] = [];
      const acceptedIds = new Set<string>();
      for (const killedAfter of ['first response', 'first side effect', null] as const) {
        const receiver = await start();
        // What was accepted is not lost, although it is not sent again.
        await waitForSideEffects(receiver, acceptedIds);
        const sideEffectCount = (await receiver.readSideEffects()).length;
        await disconnectInBody(receiver);
        const newEvents = Array.from({ length: 20 }, (_, index) =>
          createDelivery(`evt_${events.length + index + 100}`),
        );
        events.push(...newEvents);
        const sending = [...newEvents, ...events].map(async (event) => {
          if ((await deliver(receiver, event)) === 204) acceptedIds.add(event.id);
        });
        // Deliveries that are in progress when the receiver is killed get no response.
        const sent = Promise.allSettled(sending);
        if (killedAfter === 'first response') await Promise.any(sending);
        if (killedAfter === 'first side effect') await waitForMoreSideEffects(receiver, sideEffectCount);
        if (killedAfter !== null) await receiver.kill();
        await sent;
        if (killedAfter !== null) continue;
        const ids = events.map(({ id }) => id);
        await waitForSideEffects(receiver, ids);
        expect([...(await receiver.readSideEffects())].sort()).toEqual(ids);
      }
    },
  );

  it.for(inboxes)(
    'the example receiver with %s breaks no rule of svc receiver fuzz, even if it is killed between deliveries [§6.4, §6.5, §6.6]',
    async ([framework], context) => {
      const start = prepare(framework, context);
      let receiver = await start();
      const report = await fuzzReceiver({
        url: receiver.url,
        secret: SECRET,
        runs: 8,
        timeoutMs: TIMEOUT_MS,
        readSideEffects: async () => toReading(await receiver.readSideEffects()),
        async restart() {
          await receiver.kill();
          receiver = await start();
        },
      });
      expect(report.failure).toBeNull();
      expect(report).toMatchObject({ ok: true, runs: 8, side_effects: 'ids' });
    },
  );

  it.for(inboxes)(
    'the example receiver with %s loses no event after one that is nested deeply, has no ID or cannot be processed',
    async ([framework, file, workLine, failure], context) => {
      const folder = await writeReceiver(framework, createTemporaryFolder(context), (program) =>
        program.path === file
          ? program.content.replace(workLine, (start) => `${failure}\n${start}`)
          : program.content,
      );
      const receiver = await startReceiver(framework, { secret: SECRET, folder });
      context.onTestFinished(receiver.stop);
      const send = (id: string | null, type: string, levels = 0) =>
        deliver(receiver, createDelivery(id, type, `${'['.repeat(levels)}0${']'.repeat(levels)}`)).catch(
          () => 500,
        );
      // As deep as the service allows, and deeper than parsers allow by default.
      expect(await send('evt_deep', 'test.deep', MAX_JSON_DEPTH)).toBe(204);
      const tooDeep = await send('evt_too_deep', 'test.deep', 20_000);
      const withoutId = await send(null, 'test.other');
      expect([withoutId < 300, await send('evt_failing', 'test.failing')]).toEqual([false, 204]);
      expect(await send('evt_last', 'test.other')).toBe(204);
      const accepted = tooDeep < 300 ? ['evt_too_deep'] : [];
      await waitForSideEffects(receiver, ['evt_deep', ...accepted, 'evt_last']);
      expect((await receiver.readSideEffects()).length).toBe(2 + accepted.length);
    },
  );
});

function toReading(ids: readonly string[]) {
  return { count: ids.length, ids };
}

async function waitForSideEffects(receiver: RunningExample, ids: Iterable<string>): Promise<void> {
  const expectAll = async () =>
    expect(await receiver.readSideEffects()).toEqual(expect.arrayContaining([...ids]));
  await vi.waitFor(expectAll, 20_000);
}

async function waitForMoreSideEffects(receiver: RunningExample, count: number): Promise<void> {
  while ((await receiver.readSideEffects()).length <= count);
}

async function disconnectInBody({ port }: RunningExample): Promise<void> {
  const socket = connect(port, '127.0.0.1').resume();
  socket.end('POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"data"');
  await once(socket, 'close');
}

type Delivery = ReturnType<typeof createDelivery<string>>;

function createDelivery<Id extends string | null>(id: Id, type = 'order.shipped', value = '"Zürich 東京"') {
  const payload = `{"type":"${type}","data":{"id":${JSON.stringify(id)},"type":"${type}","payload":{"value":${value}}}}`;
  const { headers: signed } = sign({ payload, secret: SECRET, id: 'del_1' });
  const headers = { ...signed, 'content-type': 'application/json' };
  return { id, payload, headers };
}

async function deliver({ url }: RunningExample, { payload, headers }: Omit<Delivery, 'id'>) {
  return (await fetch(url, { method: 'POST', headers, body: payload })).status;
}
