import { expect, it, vi } from 'vitest';
import { keepGlobalClass } from '../../src/http/original-class.ts';

it('a kept class is the one that was global when it was first used', () => {
  const load = vi.spyOn(globalThis, 'Response', 'get').mockReturnValue(class Original {} as never);
  const getResponse = keepGlobalClass('Response');
  expect(load).not.toHaveBeenCalled();
  const original = getResponse();
  load.mockReturnValue(class Replacement {} as never);
  expect([getResponse(), globalThis.Response.name]).toEqual([original, 'Replacement']);
});
