import { getRequestListener } from '@hono/node-server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createEmulator } from '../../src/index.ts';

it('the emulator responds in a process where the Hono server has replaced the global Request and Response', async () => {
  await using emulator = await createEmulator();
  const { url, apiKey } = emulator;
  const headers = { authorization: `Bearer ${apiKey}` };
  const { Request: nativeRequest, Response: native } = globalThis;
  // The other tests of this process keep the native globals.
  onTestFinished(() => void Object.assign(globalThis, { Request: nativeRequest, Response: native }));

  getRequestListener(() => new Response());

  expect(globalThis.Response).not.toBe(native);
  const { event } = await emulator.trigger('order.shipped');
  const page = { data: [event], has_more: false };
  expect(await (await fetch(`${url}/v1/events`, { headers })).json()).toMatchObject(page);
  expect((await fetch(`${url}/v1/nowhere`)).status).toBe(404);
  expect((await fetch(`${url}/v1/events/%E0%A4%A`)).status).toBe(400);
  expect((await fetch(`${url}/_svc/status`)).status).toBe(200);
  const { stringify } = JSON;
  // The emulator can write JSON of earlier requests meanwhile.
  vi.spyOn(JSON, 'stringify').mockImplementation((value, ...options) => {
    if (Object.hasOwn(Object(value), 'openapi')) throw new Error('a defect');
    return stringify(value, ...(options as []));
  });
  expect((await fetch(`${url}/openapi.json`)).status).toBe(500);
});
