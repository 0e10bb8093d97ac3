import { expect, it } from 'vitest';
import {
  listCommands,
  toRawRequest,
  toSignedCurlCommand,
} from '../../src/dashboard/views/delivery/attempt-formats.ts';
import { toDeliveryHints } from '../../src/domain/attempt-hints.ts';
import { toCurl } from '../../src/domain/shell.ts';
import { createRawReceiver, readRequest } from '../support/raw-receiver.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createAttempt, createDelivery } from './example-delivery.ts';

const { request } = createAttempt();

it('toCurl returns the exact request', () => {
  expect(toCurl({ ...request, body: `{"it's":1}` })).toMatchInlineSnapshot(`
    "curl 'http://localhost:3000/hooks?a=b' \\
      -H 'Content-Type: application/json' \\
      -H 'Service-Delivery-Id: del_1' \\
      --data-raw '{"it'\\''s":1}'"
  `);
});

it('toSignedCurlCommand keeps the ID and the body', () => {
  const command = toSignedCurlCommand(createDelivery(), { ...request, body: `{"it's":1}` });
  expect(command).toMatchInlineSnapshot(
    `"svc sign --id del_1 --secret SECRET --payload '{"it'\\''s":1}' --curl 'http://localhost:3000/hooks?a=b' | sh"`,
  );
});

it('listCommands returns the commands of the explanation, then those with the delivery ID, each once', () => {
  const hints = [
    { text: 'Read the log' },
    { text: 'Remove the fault', command: 'svc faults clear flt_1' },
    toDeliveryHints(createDelivery()).replay,
  ];
  expect(listCommands(createDelivery(), hints).map(({ command }) => command)).toEqual([
    'svc faults clear flt_1',
    'svc deliveries replay del_1 --wait',
    'svc deliveries get del_1',
    'svc verify --delivery del_1',
    'svc events get evt_1',
  ]);
});

it('toRawRequest returns the bytes that were sent', async () => {
  const wire: string[] = [];
  await using receiver = await createRawReceiver(async (socket) => {
    wire.push(Buffer.from(await readRequest(socket), 'latin1').toString());
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  await using emulator = await startTestEmulator();
  const { control } = emulator;
  const { workspace_id } = emulator.status();
  const webhook = {
    workspace_id,
    url: `${receiver.url}/hooks/é?a=b`,
    events: ['*'],
    headers: { 'X-Empty': '' },
  };
  await control.createWebhook(webhook);
  await emulator.api('POST', '/events', { workspace_id, type: 'order.shipped', payload: { name: 'Zoë' } });
  await control.settleClock({ workspace_id });
  const { data } = await control.listDeliveries({ workspace_id });
  const { attempts } = await control.getDelivery({ id: data[0]?.id ?? '' });
  expect(wire).toHaveLength(1);
  expect(attempts.map(({ request }) => toRawRequest(request))).toEqual(wire);
});
