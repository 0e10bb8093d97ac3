import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listTools } from '../../src/mcp/mcp-server.ts';
import { createGate } from '../emulator/deliveries/sender-setup.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../support/test-receiver.ts';
import { connectMcp, type McpClient } from './mcp-client.ts';

let emulator: TestEmulator;
let receiver: Receiver;
let mcp: McpClient;
beforeAll(async () => {
  emulator = await startTestEmulator();
  receiver = await createReceiver();
  mcp = await connectMcp(emulator);
});
afterAll(async () => {
  await mcp.client.close();
  await receiver.close();
  await emulator.close();
});
beforeEach(async () => {
  await emulator.control.reset({});
  receiver.respond(200);
  receiver.clear();
});

const addEndpoint = () => mcp.call('receiver', { action: 'register', url: receiver.url });
const trigger = (args: object = {}) =>
  mcp.call('trigger', { type: 'order.shipped', wait_seconds: 30, ...args });

/** An estimate that is too high for most models: the tokenizers cl100k_base and o200k_base have 4.3 to 4.5 for this list. */
const CHARACTERS_PER_TOKEN = 3.5;

/** A zero-width space, the marks and isolates of bidirectional text, tag characters that spell "hi", and an emoji with an invisible part. */
const INVISIBLE = '\u200b\u202e\u2066\u{e0068}\u{e0069}👩‍💻';
const VISIBLE = '\\u200b\\u202e\\u2066\\udb40\\udc68\\udb40\\udc69👩‍💻';

it('results and resources show invisible and bidirectional characters of a receiver as escapes [output.other-surfaces]', async () => {
  await addEndpoint();
  const headers = { 'x-note': Buffer.from(INVISIBLE).toString('latin1') };
  receiver.respond({ status: 400, headers, body: `first${INVISIBLE}\n` });
  const { deliveries } = await trigger({ payload: { [`name${INVISIBLE}`]: INVISIBLE } });
  const { id } = deliveries[0];
  const [detail, explanation] = [
    await mcp.call('deliveries', { id, bodies: true }),
    await mcp.call('explain', { id }),
  ];
  expect(detail.delivery.attempts[0].response_body).toBe(`first${VISIBLE}\n`);
  expect(detail.delivery.attempts[0].request_body).toContain(`"name${VISIBLE}":"${VISIBLE}"`);
  expect(explanation.response_body).toContain(VISIBLE);
  const { contents } = await mcp.client.readResource({ uri: `svc://deliveries/${id}` });
  expect(JSON.stringify(contents)).toContain(receiver.url);
  const texts = [detail, explanation, contents].map((value) => JSON.stringify(value));
  expect(texts.join('').replaceAll('👩‍💻', '')).not.toMatch(/[\p{Cf}\p{Cc}]/u);
});

it('errors of tools show invisible characters as escapes [output.other-surfaces]', async () => {
  const { error } = await mcp.callInvalid('explain', { id: `del_${INVISIBLE}` });
  expect(JSON.stringify(error)).toContain(JSON.stringify(VISIBLE).slice(1, -1));
  expect(JSON.stringify(error).replaceAll('👩‍💻', '')).not.toMatch(/\p{Cf}/u);
});

describe('the list of tools', () => {
  it('the list has at most 9 tools and costs at most 1900 tokens', () => {
    const tools = listTools();
    const names = tools.map(({ name }) => name).join(' ');
    expect(names).toBe('status trigger deliveries explain replay clock receiver faults state');
    expect(JSON.stringify(tools).length / CHARACTERS_PER_TOKEN).toBeLessThanOrEqual(1900);
  });

  it('the list says which tools only read and which can lose data', async () => {
    const { tools } = await mcp.client.listTools();
    const namesWith = (hint: 'readOnlyHint' | 'destructiveHint') =>
      tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);
    expect(namesWith('readOnlyHint')).toEqual(['status', 'deliveries', 'explain']);
    expect(namesWith('destructiveHint')).toEqual(['state']);
  });
});

describe('status', () => {
  it('status of a new emulator contains no secret and continues with an endpoint [control.mcp-secrets]', async () => {
    const status = await mcp.call('status');
    expect(status).toMatchObject({
      base_url: emulator.status().base_url,
      endpoints: [],
      clock: { speed: 0 },
    });
    expect(status.event_types).toContain('order.shipped');
    expect(status.next).toMatch(/^receiver {"action":"register"/);
    expect(JSON.stringify(status)).not.toMatch(/svc_(?:test|live)_|whsec_/);
  });

  it('status names the delivery that failed last', async () => {
    await addEndpoint();
    receiver.respond(500);
    const [delivery] = (await trigger()).deliveries;
    const status = await mcp.call('status');
    expect(status.endpoints).toEqual([
      expect.objectContaining({
        url: receiver.url,
        last_failure: expect.objectContaining({ delivery_id: delivery.id }),
      }),
    ]);
    expect(status.next).toBe(`explain {"id":"${delivery.id}"}`);
  });
});

describe('trigger', () => {
  it('trigger sends the example of the type with the changes', async () => {
    await addEndpoint();
    const result = await trigger({
      overrides: { 'items[0].quantity': 7 },
      add: { note: 'x' },
      remove: ['address'],
    });
    expect(result).toMatchObject({ settled: true, count: 1, deliveries: [{ status: 'succeeded' }] });
    const payload = (await receiver.request(1)).envelope?.data.payload;
    expect(payload).toMatchObject({ items: [{ quantity: 7 }, {}], note: 'x' });
    expect(payload).not.toHaveProperty('address');
  });

  it('trigger returns as soon as only a later retry is left, and continues with explain', async () => {
    await addEndpoint();
    receiver.respond(500);
    const result = await trigger();
    expect(result).toMatchObject({
      settled: false,
      deliveries: [{ status: 'failing', last_attempt: { outcome: 'http_error', response_status: 500 } }],
    });
    expect(result.deliveries[0]).not.toHaveProperty('replay_of');
    expect(result.next).toBe(`explain {"id":"${result.deliveries[0].id}"}`);
  });

  it('trigger says that no endpoint subscribes to the type, and that the type has no example', async () => {
    expect((await trigger()).note).toBe('No enabled endpoint subscribes to order.shipped.');
    expect((await trigger({ wait_seconds: 0 })).next).toBe('status {}');
    const isNew = 'No example exists for robot.awoke, so the payload is empty.';
    expect((await trigger({ type: 'robot.awoke' })).note).toBe(
      `${isNew} No enabled endpoint subscribes to robot.awoke.`,
    );
    await addEndpoint();
    expect((await trigger({ type: 'robot.awoke' })).note).toBe(isNew);
  });

  it('trigger without a wait continues with the wait for its event, whose type can be mistyped if it has a payload', async () => {
    await addEndpoint();
    const { event_id, next } = await trigger({ type: 'order.shiped', payload: {}, wait_seconds: 0 });
    expect(next).toBe(`deliveries {"event_id":"${event_id}","wait_seconds":20}`);
    const { deliveries } = await mcp.call('deliveries', JSON.parse(next.replace(/^deliveries /, '')));
    expect(deliveries).toMatchObject([{ event_id, status: 'succeeded' }]);
  });
});

describe('deliveries with wait_seconds', () => {
  it('deliveries waits for the first delivery that matches, and lists it with its status', async () => {
    await addEndpoint();
    await trigger();
    const waiting = mcp.call('deliveries', { type: 'invoice.paid', since: '1m', wait_seconds: 30 });
    const { deliveries } = await trigger({ type: 'invoice.paid' });
    expect((await waiting).deliveries).toMatchObject([{ id: deliveries[0].id, status: 'succeeded' }]);
  });

  it('deliveries waits until one delivery cannot change in the time', async () => {
    await addEndpoint();
    receiver.respond(500);
    const { event_id } = await trigger({ wait_seconds: 0 });
    const [{ id }] = (await mcp.call('deliveries', { event_id })).deliveries;
    expect((await mcp.call('deliveries', { id, wait_seconds: 30 })).delivery).toMatchObject({
      status: 'failing',
      attempts: [{ response_status: 500 }],
    });
  });

  it('a wait of deliveries ends when the client cancels it', async () => {
    await addEndpoint();
    const gate = createGate();
    receiver.respond({ after: gate.opened });
    const { event_id } = await trigger({ wait_seconds: 0 });
    await receiver.request(1);
    const cancellation = new AbortController();
    const waiting = mcp.client.callTool(
      { name: 'deliveries', arguments: { event_id, wait_seconds: 55 } },
      { signal: cancellation.signal },
    );
    await receiver.request(1);
    cancellation.abort('enough');
    await expect(waiting).rejects.toThrow('enough');
    gate.open();
  });
});

describe('deliveries', () => {
  it('deliveries cuts bodies unless they are asked for', async () => {
    await addEndpoint();
    receiver.respond({ status: 500, body: 'x'.repeat(2_000), headers: { 'x-trace': 'abc' } });
    const [{ id }] = (await trigger()).deliveries;
    const short = await mcp.call('deliveries', { id });
    expect(JSON.stringify(short).length).toBeLessThan(1_500);
    expect(short.delivery.attempts[0].response_body).toBe(`${'x'.repeat(300)}… (2000 characters)`);
    const long = await mcp.call('deliveries', { id, bodies: true });
    expect(long.delivery.attempts[0]).toMatchObject({
      response_body: 'x'.repeat(2_000),
      response_headers: { 'x-trace': 'abc' },
    });
    expect(JSON.parse(long.delivery.attempts[0].request_body).type).toBe('order.shipped');
  });

  it('deliveries lists a page with the call for the next one', async () => {
    await addEndpoint();
    for (let count = 0; count < 3; count++) await trigger();
    const page = await mcp.call('deliveries', { status: 'succeeded', limit: 2 });
    expect(page).toMatchObject({ has_more: true, end_cursor: page.deliveries[1].id });
    const [tool, args] = page.next.split(/ (.*)/);
    expect(tool).toBe('deliveries');
    expect(await mcp.call(tool, JSON.parse(args))).toMatchObject({ has_more: false, deliveries: [{}] });
  });
});

describe('the next call', () => {
  it('deliveries without a match continues with status, even if there are endpoints', async () => {
    await addEndpoint();
    expect((await mcp.call('deliveries', { status: 'failing' })).next).toBe('status {}');
  });

  it('deliveries of which one is pending continues with clock, and names the endpoint to enable if one is paused', async () => {
    const { webhook_id } = await addEndpoint();
    const gate = createGate();
    receiver.respond({ after: gate.opened });
    await trigger({ wait_seconds: 0 });
    expect((await mcp.call('deliveries')).next).toBe('clock {"action":"settle"}');
    await emulator.control.updateWebhook({ id: webhook_id, disabled: true });
    expect((await mcp.call('deliveries')).next).toBe(
      `In a shell: svc webhooks update ${webhook_id} --enable`,
    );
    gate.open();
  });

  it('explain continues with a probe after any rejection without a reason, and a probe in vain with the secret', async () => {
    const { webhook_id } = await addEndpoint();
    receiver.respond(422);
    const { id } = (await trigger()).deliveries[0];
    const { next } = await mcp.call('explain', { id });
    expect(next).toBe(`receiver {"action":"probe","id":"${id}"}`);
    receiver.respond(401);
    await mcp.call('replay', { id, wait_seconds: 30 });
    expect((await mcp.call('receiver', { action: 'probe', id })).next).toBe(
      `receiver {"action":"secret","webhook_id":"${webhook_id}"}`,
    );
  });

  it('a probe of a receiver that accepts the delivery now continues with replay', async () => {
    await addEndpoint();
    receiver.respond([401, 200]);
    const { id } = (await trigger()).deliveries[0];
    expect((await mcp.call('receiver', { action: 'probe', id })).next).toBe(`replay {"id":"${id}"}`);
  });
});

describe('clock', () => {
  it('clock shows each attempt, and does not continue with explain for a delivery that succeeded in the end', async () => {
    await addEndpoint();
    receiver.respond([500, 500, 500, 200]);
    await trigger();
    const next = await mcp.call('clock', { action: 'next' });
    expect(next).toMatchObject({
      sent: 1,
      failed: 1,
      pending: 1,
      attempts: [{ number: 2, response_status: 500 }],
    });
    expect(next.next).toMatch(/^explain /);
    const settled = await mcp.call('clock', { action: 'settle' });
    expect(settled).toMatchObject({ sent: 2, failed: 1, pending: 0, next_due_at: null, next: 'status {}' });
  });

  it('clock changes its speed and moves by a duration', async () => {
    expect(await mcp.call('clock', { action: 'resume' })).toMatchObject({ speed: 1 });
    expect(await mcp.call('clock', { action: 'speed', speed: 60 })).toMatchObject({ speed: 60 });
    expect(await mcp.call('clock', { action: 'freeze' })).toMatchObject({ speed: 0 });
    const { now: before } = await mcp.call('clock', { action: 'show' });
    const { now: after } = await mcp.call('clock', { action: 'advance', by: '1h30m' });
    expect(Date.parse(after) - Date.parse(before)).toBe(90 * 60_000);
  });
});

describe('replay', () => {
  it('replay sends every failing delivery again', async () => {
    await addEndpoint();
    receiver.respond(500);
    await trigger();
    await trigger({ type: 'invoice.paid' });
    receiver.respond([200, 500]);
    const result = await mcp.call('replay', { failed: true, wait_seconds: 30 });
    expect(result.succeeded).toBe(1);
    expect(result.replays.map((replay: { result: string }) => replay.result).sort()).toEqual([
      'failed',
      'succeeded',
    ]);
    expect(result.next).toMatch(/^explain /);
  });

  it('replay without a wait continues with the wait for the event', async () => {
    await addEndpoint();
    const { event_id, deliveries } = await trigger();
    const { id } = deliveries[0];
    const { next } = await mcp.call('replay', { id, wait_seconds: 0 });
    expect(next).toBe(`deliveries {"event_id":"${event_id}","wait_seconds":20}`);
  });
});

describe('receiver and faults', () => {
  it('receiver shows the secret of an endpoint only when it is asked for [control.mcp-secrets]', async () => {
    const endpoint = await addEndpoint();
    expect(JSON.stringify(endpoint)).not.toContain('whsec_');
    const { secret } = await mcp.call('receiver', { action: 'secret' });
    expect(secret).toBe((await emulator.control.revealSecret({ id: endpoint.webhook_id })).secret);
  });

  it('faults injects a fault, which explain recognizes, and removes it', async () => {
    await addEndpoint();
    const fault = { on: 'delivery', kind: 'error-response', status: 503 };
    expect((await mcp.call('faults', { action: 'add', fault })).next).toMatch(/^trigger {"type":"order/);
    const { next } = await trigger();
    const explanation = await mcp.call('explain', JSON.parse(next.replace(/^explain /, '')));
    expect(explanation).toMatchObject({ cause: 'injected_fault', certainty: 'certain' });
    expect(explanation.next).toBe(
      `faults {"action":"clear"}, then replay {"id":"${explanation.delivery_id}"}`,
    );
    expect(await mcp.call('faults', { action: 'clear' })).toMatchObject({ cleared: 1 });
    expect(await mcp.call('replay', { id: explanation.delivery_id })).toMatchObject({ succeeded: 1 });
  });
});

it('receiver finds the mistake of a receiver that reports nothing', async () => {
  const { webhook_id } = await addEndpoint();
  const { secret } = await mcp.call('receiver', { action: 'secret', webhook_id });
  receiver.respond(({ headers, body }) => {
    const content = `${Date.parse(String(headers['service-timestamp']))}.${body}`;
    const digest = createHmac('sha256', secret).update(content).digest('hex');
    return headers['service-signature'] === `v1=${digest}` ? 200 : { status: 400, body: 'invalid signature' };
  });
  const { next } = await trigger();
  const explanation = await mcp.call('explain', JSON.parse(next.replace(/^explain /, '')));
  expect(explanation.next).toMatch(/^receiver {"action":"probe"/);
  const probe = await mcp.call('receiver', JSON.parse(explanation.next.replace(/^receiver /, '')));
  expect(probe).toMatchObject({ cause: 'signature_rejected', mistake: 'timestamp_changed' });
  expect(probe.next).toBe(`Correct the receiver, then replay {"id":"${probe.delivery_id}"}`);
});

it('state saves a snapshot, resets, and loads the snapshot', async () => {
  // A reset returns to the snapshot that was loaded last, so the emulator of the other tests cannot be used.
  await using other = await startTestEmulator();
  await using client = await connectMcp(other);
  await client.call('receiver', { action: 'register', url: receiver.url });
  const path = join(createTemporaryFolder(), 'state.svc');
  const { next } = await client.call('state', { action: 'save', path });
  await client.call('state', { action: 'reset' });
  expect((await client.call('status')).endpoints).toEqual([]);
  await client.call('state', JSON.parse(next.replace(/^state /, '')));
  expect((await client.call('status')).endpoints).toHaveLength(1);
});

describe('invalid calls', () => {
  it('each call of golden/invalid-calls.txt is an error with the message, the hint and the next call below it', async () => {
    const file = join(import.meta.dirname, 'golden/invalid-calls.txt');
    const calls = Array.from(readFileSync(file, 'utf8').matchAll(/^(\w+) (\{.*\})$/gm));
    const sections: string[] = [];
    for (const [call, tool = '', args = ''] of calls) {
      const { error, next } = await mcp.callInvalid(tool, JSON.parse(args));
      const hint = error.hint === undefined ? [] : [`hint: ${error.hint.text}`];
      sections.push([call, `error: ${error.message}`, ...hint, `next: ${next}`].join('\n'));
    }
    await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot(file);
  });

  it('an error shows only the start of huge text', async () => {
    const text = 'x'.repeat(1_000_000);
    const { error } = await mcp.callInvalid('trigger', { type: text });
    expect(JSON.stringify(error).length).toBeLessThan(1_500);
    const { error: unknownField } = await mcp.callInvalid('deliveries', { [text]: 1 });
    expect(unknownField.message.length).toBeLessThan(200);
  });

  it('an unknown tool is an error of the protocol that suggests one', async () => {
    await expect(mcp.call('deliverys')).rejects.toThrow('Did you mean deliveries?');
  });
});

it.each([
  ...['2025-03-26', '2025-06-18', '2025-11-25'].map((version) => [
    version,
    { supportedProtocolVersions: [version] },
  ]),
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
] as [string, Parameters<typeof connectMcp>[1]][])(
  'a client of version %s can call a tool',
  async (version, options) => {
    await using other = await connectMcp(emulator, options);
    expect(other.client.getNegotiatedProtocolVersion()).toBe(version);
    expect(await other.call('clock', { action: 'show' })).toHaveProperty('now');
  },
);
