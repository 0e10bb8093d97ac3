import { expect, it } from 'vitest';
import { ListenEndpoint } from '../../../src/cli/listen/listen-endpoint.ts';
import { SvcError } from '../../../src/domain/errors.ts';
import type { ControlPlane, LiveStream } from '../../../src/operations/control-plane.ts';
import { streamOf } from '../fake-context.ts';

it('ListenEndpoint reports that it is registered again when its stream is open', async () => {
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
  const endpoint = await ListenEndpoint.register(control, { url: 'http://127.0.0.1:9/', events: ['*'] });
  const { signal } = new AbortController();
  const stream = endpoint.follow('attempt', signal, () => void steps.push('registered'));
  for await (const _item of stream) throw new Error('the stream has no items');
  expect(steps).toEqual(['open', 'registered']);
});
