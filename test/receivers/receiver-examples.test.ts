/** Runs the receivers of `svc receiver example` as programs and checks them with `svc receiver check`. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Framework, frameworks } from '../../src/fixtures/receiver-examples.ts';
import { sign } from '../../src/signature.ts';
import { checkReceiver, idsOf } from '../receiver/check-receiver.ts';
import { SECRET } from '../receiver/defective-receiver.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { type RunningReceiver, ready, startProgram } from './receiver-process.ts';

/** Each test runs once. `SVC_TEST_TIMES=20` repeats it, to find flaky results. */
const repeats = Number(process.env.SVC_TEST_TIMES ?? 1) - 1;

const driverHook = new URL('../support/sqlite-for-node-20.mjs', import.meta.url).href;

function programOf(framework: Framework): string {
  const file = framework === 'next' ? 'next-server.mjs' : `../../fixtures/receivers/${framework}.mjs`;
  return join(import.meta.dirname, file);
}

async function start(framework: Framework, scratch: string): Promise<RunningReceiver> {
  const command = [process.execPath, '--import', driverHook, programOf(framework)] as const;
  const receiver = await startProgram(command, { secret: SECRET, scratch, ready });
  onTestFinished(receiver.stop);
  return receiver;
}

/** Number of events that the receiver has processed. */
async function countProcessed({ printed }: RunningReceiver): Promise<number> {
  return (await printed(/^/)).match(/^processed /gm)?.length ?? 0;
}

describe('svc receiver example', { timeout: 60_000 }, () => {
  it.each(frameworks)(
    'the example receiver with %s passes svc receiver check [§6.1, §6.2, §6.3, §6.4, §6.5, §6.6]',
    { repeats },
    async (framework) => {
      const receiver = await start(framework, createTemporaryFolder());
      const url = `http://127.0.0.1:${receiver.port}/webhooks`;
      const report = await checkReceiver({ url, countEffects: () => countProcessed(receiver) });
      expect(idsOf(report, 'failed')).toEqual([]);
      // Its work takes no time, so it may be done before the order can be observed.
      const notObservable = idsOf(report, 'not_observable');
      expect(notObservable.filter((id) => id !== 'acceptance.before-work')).toEqual([]);
    },
  );

  it('the example receiver remembers accepted events after a restart [§6.6]', async () => {
    const scratch = createTemporaryFolder();
    const firstReceiver = await start('node', scratch);
    const twice = createDelivery('evt_twice');
    expect(await deliver(firstReceiver, twice)).toBe(204);
    // Events are processed in order: the first is done when the next one is.
    expect(await deliver(firstReceiver, createDelivery('evt_next'))).toBe(204);
    await firstReceiver.printed(/^processed order\.shipped evt_next$/m);
    await firstReceiver.stop();

    const restartedReceiver = await start('node', scratch);
    expect(await deliver(restartedReceiver, twice)).toBe(204);
    expect(await deliver(restartedReceiver, createDelivery('evt_last'))).toBe(204);
    expect(await restartedReceiver.printed(/evt_last$/m)).not.toContain('evt_twice');
  });
});

function createDelivery(id: string) {
  const payload = JSON.stringify({ type: 'order.shipped', data: { id } });
  return { payload, headers: sign({ payload, secret: SECRET, id: 'del_1' }).headers };
}

async function deliver({ port }: RunningReceiver, { payload, headers }: ReturnType<typeof createDelivery>) {
  const url = `http://127.0.0.1:${port}/webhooks`;
  return (await fetch(url, { method: 'POST', headers, body: payload })).status;
}
