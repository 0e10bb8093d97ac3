/** Explains the recorded responses of real frameworks, tunnels and firewalls, and of receivers that only look like them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderExplanation } from '../../../src/cli/render/explanation.ts';
import { widthOf } from '../../../src/cli/render/text-width.ts';
import responses from '../../diagnosis/responses.json' with { type: 'json' };
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';

let emulator: TestEmulator;
let receiver: Awaited<ReturnType<typeof createReceiver>>;
beforeAll(async () => {
  emulator = await startTestEmulator();
  receiver = await createReceiver();
  await emulator.control.createWebhook({
    url: new URL('/webhooks', receiver.url).href,
    events: ['a.b'],
  });
});
afterAll(async () => {
  await emulator.close();
  await receiver.close();
});

/** Reports of users, and near misses: the table itself is tested with all. */
const recorded = responses.filter(
  ({ source, request }) => /^(?:reported|near miss)/.test(source) && !request,
);
const terminal = { width: 80, color: false, unicode: true };

it.each(recorded.map((response) => [response.status, response.name, response.source, response] as const))(
  'the explanation of the response %d fits on a screen, and says signature only if the verification responded: %s (%s)',
  async (_status, _name, _source, { status, headers, body, layer }) => {
    receiver.respond({ status, headers: { ...headers }, body });
    const { json } = await emulator.api('POST', '/events', '{"type":"a.b","payload":{"price":1.50}}');
    await emulator.control.advanceClock({ ms: 0 });
    const explanation = await emulator.control.explainDelivery({ id: json.id });
    expect(explanation.layer?.kind ?? null).toBe(layer);
    const isVerification = /^(?:signature|secret_unset|parsed_body)/.test(layer ?? '');
    expect(explanation.cause === 'signature_rejected').toBe(isVerification);
    if (layer === null)
      expect(explanation.detail).not.toMatch(/probably|csrf protection|rejected the signature/i);
    const lines = renderExplanation(explanation, false, terminal).split('\n');
    expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(14);
    // A command stays on one line, so that it can be copied.
    expect(lines.filter((line) => widthOf(line) > terminal.width && !line.includes(' svc '))).toEqual([]);
    expect(lines[0]).toMatch(layer === null ? /^Cause {5}/ : /^Layer {5}/);
  },
);
