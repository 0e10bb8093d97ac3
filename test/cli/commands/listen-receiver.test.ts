/** `svc listen` without a URL, with an emulator in this process. */
import { expect, it, onTestFinished } from 'vitest';
import { command, parseResponses } from '../../../src/cli/commands/listen.ts';
import { ExitCode } from '../../../src/domain/errors.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../../support/test-emulator.ts';
import { createFakeContext, NOW } from '../fake-context.ts';

interface Options {
  readonly respond?: string;
  readonly body?: boolean;
  readonly format?: 'default' | 'json';
}

/** Starts the command and waits until it is ready. */
async function listen(
  { respond = '200', body = false, format = 'default' }: Options = {},
  { json = false, ...emulatorOptions }: TestEmulatorOptions & { readonly json?: boolean } = {},
) {
  const emulator = await startTestEmulator({ wallClock: new Date(NOW), ...emulatorOptions });
  const { control } = emulator;
  const interruption = new AbortController();
  const { signal } = interruption;
  const { context, capturedOutput } = createFakeContext({ control, json, signal });
  const options = { format, body, respond: parseResponses(respond) };
  const ended = command.run(options as never, context);
  const stop = async () => {
    interruption.abort();
    return ended;
  };
  onTestFinished(async () => {
    await stop();
    await emulator.close();
  });
  await expect.poll(() => capturedOutput.err + capturedOutput.out).toMatch(/^Ready\.|"type":"ready"/);
  const [endpoint] = (await control.listWebhooks({})).data;
  return {
    ...{ control, stop, capturedOutput, endpoint },
    /** Creates an event; resolves to the ID of its delivery. */
    async trigger() {
      const { json: event } = await emulator.api('POST', '/events', {
        type: 'order.shipped',
        payload: { n: 1 },
      });
      return String((await control.listDeliveries({ event_id: event.id })).data[0]?.id);
    },
    /** The lines of standard output, as soon as there are so many. */
    async lines(count: number) {
      const split = () => capturedOutput.out.split('\n').slice(0, -1);
      await expect.poll(() => split().length).toBe(count);
      return split();
    },
  };
}

it('svc listen without a URL verifies each delivery, gives the responses of --respond, and removes its endpoint at the end', async () => {
  const { control, stop, capturedOutput, endpoint, trigger, lines } = await listen({ respond: '500,200' });
  expect(capturedOutput.err).toMatch(
    /^Ready\. Secret whsec_\S+ for http:\/\/127\.0\.0\.1:\d+\/\nWaiting .* with: svc trigger order\.shipped\n$/,
  );
  const id = await trigger();
  await expect
    .poll(() => capturedOutput.err)
    .toMatch(new RegExp(`^ {11}${id}: retry at \\d\\d:\\d\\d:\\d\\dZ$`, 'm'));
  await control.nextClock({});
  await trigger();
  const [failed, retried, other] = await lines(3);
  expect(failed).toMatch(
    new RegExp(`^\\d\\d:\\d\\d:\\d\\dZ  ✗ 500  verified  #1  order\\.shipped  ${id}  evt_\\w+$`),
  );
  expect(retried).toMatch(new RegExp(`  ✓ 200  verified  #2  order\\.shipped  ${id}  evt_\\w+$`));
  expect(other).toMatch(/ {2}✓ 200 {2}verified {2}#1 {2}/);
  expect(capturedOutput.err.match(/hint: .*svc clock next/g)).toHaveLength(1);
  // Waits until the emulator has the last response.
  await control.settleClock({});
  expect(await stop()).toBe(ExitCode.interrupted);
  expect(capturedOutput.err).not.toContain('Canceled');
  expect((await control.listWebhooks({})).data).toEqual([]);
  // Another server can already have the port, so only the output shows that the receiver has ended: it prints each request.
  await fetch(String(endpoint?.url), { method: 'POST' }).catch(() => null);
  expect(await lines(3)).toEqual([failed, retried, other]);
});

it('svc listen --json prints the ready line and one object for each delivery that it received, with the body if --body is used', async () => {
  const { capturedOutput, trigger, lines } = await listen({ body: true }, { json: true });
  const id = await trigger();
  const [ready, received] = (await lines(2)).map((line) => JSON.parse(line));
  expect(ready).toMatchObject({ type: 'ready', webhook_id: expect.stringMatching(/^wh_/) });
  expect(received).toEqual({
    type: 'received',
    received_at: expect.any(String),
    response: 200,
    event_type: 'order.shipped',
    event_id: expect.stringMatching(/^evt_/),
    delivery_id: id,
    times_received: 1,
    verification: expect.objectContaining({ ok: true, scheme: 'svc' }),
    body: expect.stringContaining('"payload":{"n":1}'),
  });
  expect(capturedOutput.err).toBe('');
});

it('svc listen --body prints the indented body below each delivery', async () => {
  const { capturedOutput, trigger } = await listen({ body: true });
  await trigger();
  await expect
    .poll(() => capturedOutput.out)
    .toMatch(/order\.shipped[^\n]*\n {11}\{\n {13}"type": "order\.shipped"/);
});

it('svc listen --format json prints only the body of each delivery', async () => {
  const { trigger, lines } = await listen({ format: 'json' });
  await trigger();
  const [body] = await lines(1);
  expect(JSON.parse(String(body))).toMatchObject({ type: 'order.shipped', data: { payload: { n: 1 } } });
});

it('svc listen rejects a request that is not genuine with 400 and says why, without using up a response', async () => {
  const { endpoint, trigger, lines } = await listen({ respond: '503,200' });
  const forged = await fetch(String(endpoint?.url), {
    method: 'POST',
    body: '{"type":"order.shipped","data":{"id":"evt_1"}}',
    headers: { 'Service-Signature': 'v1=00', 'Service-Timestamp': new Date(NOW).toISOString() },
  });
  expect(forged.status).toBe(400);
  await trigger();
  const [line, reason, next] = await lines(3);
  expect(line).toMatch(/ {2}✗ 400 {2}not verified {2}#1 {2}order\.shipped {2}evt_1$/);
  expect(reason).toMatch(/^ {11}\S.*signature/i);
  expect(next).toContain('✗ 503  verified');
});

it('svc listen verifies the signature scheme that the emulator uses', async () => {
  const { trigger, lines } = await listen({}, { scheme: 'stripe' });
  await trigger();
  // Stripe sends no ID of the delivery.
  expect((await lines(1))[0]).toMatch(/✓ 200 {2}verified {2}#1 {2}order\.shipped {2}evt_\w+$/);
});

it('svc listen --respond reset resets the connection, and the retries are canceled at the end', async () => {
  const { capturedOutput, stop, trigger, lines } = await listen({ respond: 'reset' });
  const id = await trigger();
  await trigger();
  await expect
    .poll(() => capturedOutput.err)
    .toMatch(/(?:reset the connection[^;]*; del_\w+: retry at .*){2}/s);
  expect((await lines(2)).join('\n')).toContain(`✗ reset  verified  #1  order.shipped  ${id}`);
  await stop();
  expect(capturedOutput.err).toContain('Canceled 2 deliveries that were still pending.\n');
});

it('svc listen --respond timeout does not respond at all', async () => {
  const overrides = { 'delivery.timeout': { attempt: '1s' } };
  const { trigger, lines } = await listen({ respond: 'timeout' }, { overrides });
  const id = await trigger();
  expect((await lines(1))[0]).toContain(`✗ timeout  verified  #1  order.shipped  ${id}`);
});

it.each([
  ['500,500,200', [500, 500, 200]],
  [' timeout , reset,204', ['timeout', 'reset', 204]],
])('the responses %j are accepted', (text, responses) => {
  expect(parseResponses(text)).toEqual(responses);
});

it.each(['', '199', '600', '200,', 'drop', '20', '2000'])('the responses %j are rejected', (text) => {
  expect(() => parseResponses(text)).toThrow('Pass statuses from 200 to 599, timeout or reset');
});
