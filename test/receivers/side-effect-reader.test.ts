import { describe, expect, it } from 'vitest';
import { createSideEffectReader } from '../../src/receivers/side-effect-reader.ts';
import { createReceiver } from '../support/test-receiver.ts';

const { signal } = new AbortController();
const observe = (source: string) =>
  createSideEffectReader(source, { cwd: import.meta.dirname, urlRule: 'local', signal })();

describe('createSideEffectReader', () => {
  it.each(['{"count": 3}', '{"ids": ["evt_1", "evt_2", "evt_1"]}', '3\n'])(
    'the side effect count is read from a URL with GET: %j',
    async (body) => {
      await using receiver = await createReceiver({ body });
      expect(await observe(`${receiver.url}/count`)).toMatchObject({ count: 3 });
      expect(receiver.requests).toMatchObject([{ method: 'GET', path: '/count' }]);
    },
  );

  it.each(['echo 3', `echo '{"count":3}'`, 'ls side-effect-reader.test.ts | wc -l | sed s/1/3/'])(
    'the side effect count is read from the output of a shell command: %s',
    async (command) => {
      expect(await observe(command)).toEqual({ count: 3, ids: null });
    },
  );

  it('a connection that closes is said to expect HTTPS only until the URL has responded', async () => {
    await using receiver = await createReceiver((_, index) => (index === 1 ? { body: '3' } : { drop: true }));
    const options = { cwd: import.meta.dirname, urlRule: 'local', signal } as const;
    const read = createSideEffectReader(receiver.url, options);
    await expect(read()).rejects.toThrow('may expect HTTPS');
    expect(await read()).toMatchObject({ count: 3 });
    await expect(read()).rejects.toThrow(/before it responded\.$/);
  });

  it('the side effect count is not read from a redirect', async () => {
    await using target = await createReceiver({ body: '3' });
    await using receiver = await createReceiver({ status: 302, headers: { location: target.url } });
    await expect(observe(`${receiver.url}/count`)).rejects.toThrow('it responded with status 302');
    expect(target.requests).toEqual([]);
  });

  it.each([
    [
      'a metadata address',
      'http://169.254.169.254/count',
      'where cloud providers serve instance credentials',
    ],
    ['a public address over HTTP', 'http://8.8.8.8/count', 'must use HTTPS'],
  ])('the side effect count is not read from %s [network.receiver-check]', async (_, url, problem) => {
    await expect(observe(url)).rejects.toThrow(problem);
  });

  it('the side effect count is not read from a local URL when deliveries go only to public addresses', async () => {
    await using receiver = await createReceiver({ body: '3' });
    const { port } = new URL(receiver.url);
    for (const host of ['127.0.0.1', 'localhost']) {
      const options = { cwd: import.meta.dirname, urlRule: 'public', signal } as const;
      await expect(createSideEffectReader(`http://${host}:${port}/`, options)()).rejects.toThrow(
        'publicly reachable',
      );
    }
    expect(receiver.requests).toEqual([]);
  });

  it('side effects of more than 16 MiB are a usage error that recommends a count', async () => {
    await using receiver = await createReceiver({ body: `{"ids": ["${'x'.repeat(16 * 1024 * 1024)}"]}` });
    for (const source of [`${receiver.url}/ids`, 'yes | head -c 17000000']) {
      await expect(observe(source)).rejects.toMatchObject({
        code: 'usage',
        message: `Could not read a count from ${source}: it returned more than 16 MiB.`,
        hint: { text: expect.stringContaining('{"count": n}') },
      });
    }
  });

  it.each([
    ['exit 1', 'Could not read a count from exit 1: it exited with code 1.'],
    [String.raw`printf 'locked\n\n' >&2; exit 2`, 'exit 2: it exited with code 2: locked.'],
    ['echo many', 'echo many returned "many" instead of a count.'],
    ['echo -1', 'echo -1 returned "-1" instead of a count.'],
    [
      'http://127.0.0.1:9/',
      'http://127.0.0.1:9/: connection refused by 127.0.0.1:9: nothing is listening there',
    ],
  ])('a side effect count that cannot be read is a usage error: %s', async (source, message) => {
    await expect(observe(source)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
      hint: { text: expect.stringContaining('{"count": n}') },
    });
  });
});
