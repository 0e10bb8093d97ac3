import { describe, expect, it } from 'vitest';
import { createObserver } from '../../src/receiver/observer.ts';
import { createReceiver } from '../support/receiver.ts';

const { signal } = new AbortController();
const observe = (what: string) => createObserver(what, import.meta.dirname, signal)();

describe('the count of effects', () => {
  it.each(['{"count": 3}', '3\n'])('is what a URL answers to a GET: %j', async (body) => {
    await using receiver = await createReceiver({ body });
    expect(await observe(`${receiver.url}/count`)).toBe(3);
    expect(receiver.requests).toMatchObject([{ method: 'GET', path: '/count' }]);
  });

  it.each(['echo 3', `echo '{"count":3}'`, 'ls observer.test.ts | wc -l | sed s/1/3/'])(
    'is what a command of the shell prints: %s',
    async (command) => {
      expect(await observe(command)).toBe(3);
    },
  );

  it.each([
    ['exit 1', 'exit 1 gives no count: Command failed'],
    ['echo many', 'echo many gives no count, but "many".'],
    ['echo -1', 'echo -1 gives no count, but "-1".'],
    ['http://127.0.0.1:9/', 'http://127.0.0.1:9/ gives no count: '],
  ])('is asked for in vain: %s', async (what, message) => {
    await expect(observe(what)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
      hint: expect.stringContaining('{"count": n}'),
    });
  });
});
