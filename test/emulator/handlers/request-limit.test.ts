import { expect, it } from 'vitest';
import { RequestLimit } from '../../../src/emulator/handlers/request-limit.ts';

it('a request above the limit is rejected with 429, and the message names the limit', () => {
  const limit = new RequestLimit(2, 'waits for deliveries');
  limit.enter();
  limit.enter();
  expect(() => limit.enter()).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      message: 'At most 2 waits for deliveries can run at the same time.',
      headers: { 'Retry-After': '1' },
    }),
  );
});

it('a request that ends makes room for one other, even if its end is reported twice', () => {
  const limit = new RequestLimit(2, 'waits');
  const leave = limit.enter();
  limit.enter();
  leave();
  leave();
  limit.enter();
  expect(() => limit.enter()).toThrow('At most 2 waits');
});
