/** The export of deliveries, in the process of the emulator and over HTTP. */
import * as v from 'valibot';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpControlClient } from '../../../src/client/http-client.ts';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { ExportedDelivery, type ExportInput } from '../../../src/operations/export-schemas.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type ReceiverResponses } from '../../support/test-receiver.ts';

async function read(control: ControlPlane, input: ExportInput): Promise<string> {
  let file = '';
  for await (const part of await control.exportDeliveries(input)) file += part;
  return file;
}

/** A frozen emulator with an endpoint to a receiver. */
async function setUp(responses: ReceiverResponses = 200, webhook: object = {}) {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const receiver = await createReceiver(responses);
  onTestFinished(receiver.close);
  const { workspace_id, control_url } = emulator.status();
  const { id, secret } = await emulator.control.createWebhook({ url: receiver.url, ...webhook });
  const create = async (type: string, payload: object = {}) => {
    const { json } = await emulator.api('POST', '/events', { type, payload });
    await emulator.control.advanceClock({ workspace_id, ms: 0 });
    return json as { id: string };
  };
  const advance = (ms: number) => emulator.control.advanceClock({ workspace_id, ms });
  const exportText = (filter: ExportInput = {}) => read(emulator.control, filter);
  const exportLines = async (filter?: ExportInput) =>
    (await exportText(filter))
      .trimEnd()
      .split('\n')
      .map((line) => v.parse(ExportedDelivery, JSON.parse(line)));
  return {
    emulator,
    receiver,
    control_url,
    webhookId: id,
    secret,
    create,
    advance,
    exportText,
    exportLines,
  };
}

describe('the selection of an export', () => {
  it('an export contains more deliveries than one page of a list', async () => {
    const { emulator, create, exportLines } = await setUp();
    const {
      data: [webhook],
    } = await emulator.control.listWebhooks({});
    await emulator.control.updateWebhook({ id: webhook?.id ?? '', disabled: true });
    for (let index = 0; index < 10; index++) {
      await emulator.control.createWebhook({ url: `http://127.0.0.1:9/${index}` });
    }
    for (let index = 0; index < 101; index++) await emulator.api('POST', '/events', { type: 'order.paid' });
    const ids = (await exportLines()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1010);
    expect(ids).toEqual(ids.toSorted());
    await create('order.created');
  });

  it('one delivery is exported by its ID', async () => {
    const { create, exportLines } = await setUp();
    await create('order.created');
    await create('order.paid');
    const [first] = await exportLines();
    expect(await exportLines({ delivery_id: first?.id })).toEqual([first]);
    expect(await exportLines({ delivery_id: first?.id, type: undefined })).toEqual([first]);
  });

  it.each([
    ['a filter that matches nothing', { type: 'order.refunded' }, 'not_found'],
    ['an unknown delivery', { delivery_id: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' }, 'not_found'],
    ['an unknown event', { event_id: 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' }, 'not_found'],
    [
      'a delivery and a filter',
      { delivery_id: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', type: 'a.b' },
      'invalid_request',
    ],
  ])('an export of %s fails', async (_, input, code) => {
    const { emulator, control_url } = await setUp();
    for (const control of [emulator.control, createHttpControlClient({ controlUrl: control_url })]) {
      const file = control.exportDeliveries(input);
      await expect(file).rejects.toMatchObject({ code });
    }
  });

  it('an export ends when its client disconnects', async () => {
    const { emulator, create } = await setUp();
    for (const type of ['order.created', 'order.paid']) await create(type);
    const client = new AbortController();
    const file = await emulator.control.exportDeliveries({}, client.signal);
    let count = 0;
    for await (const _ of file) {
      count++;
      client.abort();
    }
    expect(count).toBe(1);
  });

  it('an export over HTTP is the same as in the process', async () => {
    const { emulator, control_url, create, exportText } = await setUp([503, 200]);
    await create('order.created', { note: 'Grüße, 世界 👋' });
    await create('order.paid');
    const client = createHttpControlClient({ controlUrl: control_url });
    expect(await read(client, {})).toBe(await exportText());
    await emulator.close();
  });

  it('an export fails if the state is replaced before its end', async () => {
    const { emulator, create } = await setUp();
    for (const type of ['order.created', 'order.paid']) await create(type);
    const parts = (await emulator.control.exportDeliveries({}))[Symbol.asyncIterator]();
    await parts.next();
    await emulator.control.reset({});
    await expect(parts.next()).rejects.toMatchObject({ code: 'conflict' });
  });

  it('an export over HTTP ends with an error if the state is replaced before its end', async () => {
    const { emulator, control_url, create } = await setUp();
    // The connection buffers the first parts.
    for (let index = 0; index < 24; index++) await create('order.created', { text: 'x'.repeat(200_000) });
    const client = createHttpControlClient({ controlUrl: control_url });
    const parts = (await client.exportDeliveries({}))[Symbol.asyncIterator]();
    await parts.next();
    await emulator.control.reset({});
    await expect(
      (async () => {
        for (let part = await parts.next(); !part.done; part = await parts.next());
      })(),
    ).rejects.toMatchObject({ code: 'no_emulator', message: expect.stringContaining('complete') });
  });
});

it('the response is a download that no page interprets [exports.download]', async () => {
  const { control_url, create } = await setUp();
  const { id } = await create('order.created');
  const response = await fetch(`${control_url}/deliveries/export?event_id=${id}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${id}.ndjson"`);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect((await response.text()).length).toBeGreaterThan(100);
});

it('a line of NDJSON is the delivery with its attempts and its body', async () => {
  const { emulator, create, exportLines } = await setUp([503, 200]);
  await create('order.paid', { total: 12.5 });
  const [line] = await exportLines();
  const { body = '', ...detail } = line ?? {};
  expect(detail).toEqual(await emulator.control.getDelivery({ id: line?.id ?? '' }));
  expect(JSON.parse(body)).toMatchObject({ type: 'order.paid', data: { payload: { total: 12.5 } } });
});

describe('the secrets of an export', () => {
  it('an export contains no secrets, but the signature [exports.secrets]', async () => {
    const secretInBody = 'svc_test_HJhjN2ltch3_pftOBqGK9wU3wFtk_0hY';
    const setup = await setUp(
      {
        status: 200,
        body: 'hello Basic c2VjcmV0LXBhc3N3b3Jk, session 0123456789abcdef',
        headers: { 'set-cookie': 'sid=0123456789abcdef' },
      },
      { headers: { Authorization: 'Basic c2VjcmV0LXBhc3N3b3Jk', 'X-Tenant': 'acme' } },
    );
    await setup.create('key.created', { key: secretInBody, webhook: setup.secret });
    const [line] = await setup.exportLines();
    const signature = line?.attempts[0]?.request.headers['Service-Signature'] ?? 'missing';
    expect(line?.attempts[0]?.request.headers).toMatchObject({
      Authorization: '[removed]',
      'X-Tenant': 'acme',
    });
    expect(line?.attempts[0]?.response?.headers).toMatchObject({ 'set-cookie': '[removed]' });
    const file = await setup.exportText();
    for (const secret of [secretInBody, setup.secret, 'c2VjcmV0LXBhc3N3b3Jk', '0123456789abcdef']) {
      expect(file).not.toContain(secret);
    }
    expect(file).toContain(signature);
  });

  it('a binary body is exported unchanged, even if its Base64 text is a secret', async () => {
    const body = Buffer.from([0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8, 0xf7]);
    const text = body.toString('base64');
    const { create, exportLines } = await setUp(
      { status: 200, body },
      { headers: { Authorization: `Basic ${text}` } },
    );
    await create('order.paid');
    const [line] = await exportLines();
    expect(line?.attempts[0]?.response).toMatchObject({ encoding: 'base64', body: text });
    expect(line?.attempts[0]?.request.headers).toMatchObject({ Authorization: '[removed]' });
  });

  it('the previous secret of an endpoint is removed, too [exports.secrets]', async () => {
    const { emulator, create, secret, webhookId, exportText } = await setUp(undefined, {
      secret: 'a-secret-without-a-prefix',
    });
    await emulator.control.rotateWebhookSecret({ id: webhookId, overlap_ms: 60_000 });
    await create('key.created', { secret });
    expect(secret).toBe('a-secret-without-a-prefix');
    expect(await exportText()).not.toContain(secret);
  });

  it('tokens in the URL of an endpoint are removed [exports.secrets]', async () => {
    const { emulator, create, webhookId, receiver, exportText } = await setUp();
    await emulator.control.updateWebhook({ id: webhookId, url: `${receiver.url}?token=tok_0123456789abc` });
    await create('order.paid');
    expect(await exportText()).not.toContain('tok_0123456789abc');
  });
});
