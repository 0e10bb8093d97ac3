import { expect, it } from 'vitest';
import { ListenEndpoints } from '../../../src/cli/listen/listen-endpoints.ts';
import type { ControlPlane, LiveStream } from '../../../src/contract/control-plane.ts';
import { SvcError } from '../../../src/errors.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { streamOf } from '../fake-context.ts';

it('ListenEndpoints reports that it has registered endpoints again when their stream is open', async () => {
  const steps: string[] = [];
  const lost: LiveStream = {
    ready: Promise.resolve(),
    // biome-ignore lint/correctness/useYield: the stream fails before its first item.
    async *[Symbol.asyncIterator]() {
      throw new SvcError('not_found', 'The endpoint wh_1 does not exist.');
    },
  };
  const open = () => ({ ...streamOf([]), ready: Promise.resolve().then(() => void steps.push('open')) });
  const streams = [() => lost, open];
  const control = {
    createWebhook: async () => ({ id: 'wh_1', secret: 'whsec_1', listener: true }),
    stream: () => streams.shift()?.(),
  } as unknown as ControlPlane;
  const endpoints = new ListenEndpoints(control, [{ url: 'http://127.0.0.1:9/', events: ['*'] }]);
  await endpoints.register();
  const { signal } = new AbortController();
  const stream = endpoints.follow('attempt', signal, async (change) => void steps.push(change));
  for await (const _item of stream) throw new Error('the stream has no items');
  expect(steps).toEqual(['open', 'registered']);
});

it('ListenEndpoints reports a rotated secret and has it, and no other change of an endpoint', async () => {
  await using emulator = await startTestEmulator();
  const { control } = emulator;
  const newEndpoint = { url: 'http://127.0.0.1:9/', events: ['*'], listener: true };
  const endpoints = new ListenEndpoints(control, [newEndpoint]);
  await endpoints.register();
  const [{ id, secret } = { id: '', secret: '' }] = endpoints.endpoints;
  const ended = new AbortController();
  const changes: string[] = [];
  const stream = endpoints.follow('attempt', ended.signal, async (change) => {
    changes.push(`${change} ${endpoints.endpoints[0]?.secret}`);
    ended.abort();
  });
  const items: unknown[] = [];
  const followed = (async () => {
    for await (const item of stream) items.push(item);
  })();
  await stream.ready;
  await control.updateWebhook({ id, disabled: true });
  const rotated = await control.rotateWebhookSecret({ id });
  await followed;
  expect(changes).toEqual([`rotated ${rotated.secret}`]);
  expect(rotated.secret).not.toBe(secret);
  expect(items).toEqual([]);
});
