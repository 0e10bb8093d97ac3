import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReceiver, idsOf } from '../receiver/check-receiver.ts';
import { isPresent, languages, type RunningReceiver, startReceiver } from './receiver-process.ts';

const MINUTE_MS = 60_000;
const secret = `whsec_${randomBytes(32).toString('base64url')}`;
const otherSecret = `whsec_${randomBytes(32).toString('base64url')}`;

/** Creates an envelope with white space, decimal zeros and text beyond ASCII, which careless receivers change. */
function createEnvelope(): { id: string; type: string; body: string } {
  const id = `evt_${randomBytes(13).toString('hex').toUpperCase()}`;
  const type = 'order.shipped';
  const body = `{"type":"${type}", "data":{"id":"${id}","type":"${type}","payload":{"city":"Zürich 東京","total":12.50}}}`;
  return { id, type, body };
}

function timestampIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString().replace(/\.\d{3}/, '');
}

function sign(body: string, timestamp: string, key = secret): string {
  return `v1=${createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')}`;
}

function headersFor(body: string, timestamp = timestampIn(0)): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Service-Signature': sign(body, timestamp),
    'Service-Timestamp': timestamp,
    'Service-Delivery-Id': 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  };
}

for (const language of languages) {
  const present = isPresent(language);
  if (!present)
    process.stderr.write(
      `SKIPPED: the receiver in ${language.name}; \`${language.needs[0]}\` cannot run it here.\n`,
    );

  describe.skipIf(!present)(`the receiver in ${language.name}`, () => {
    let receiver: RunningReceiver;
    // The compiler of Go takes its time when its cache is cold.
    beforeAll(async () => {
      receiver = await startReceiver(language, secret);
    }, 2 * MINUTE_MS);
    afterAll(() => receiver.stop());

    async function deliver(body: string, headers: Record<string, string>): Promise<number> {
      const response = await fetch(`http://127.0.0.1:${receiver.port}/webhooks`, {
        method: 'POST',
        headers,
        body,
      });
      await response.arrayBuffer();
      return response.status;
    }

    it('the receiver accepts a delivery and processes its event [§6.1, §6.2, §6.5, signature.content]', async () => {
      const { id, type, body } = createEnvelope();

      expect(await deliver(body, headersFor(body))).toBe(204);
      await receiver.printed(new RegExp(`^processed ${type} ${id}$`, 'm'));
    });

    it('the receiver accepts timestamps up to five minutes away [§6.3, signature.tolerance]', async () => {
      const { body } = createEnvelope();

      expect(await deliver(body, headersFor(body, timestampIn(-4 * MINUTE_MS)))).toBe(204);
      expect(await deliver(body, headersFor(body, timestampIn(4 * MINUTE_MS)))).toBe(204);
    });

    it.each([
      ['older than five minutes', timestampIn(-6 * MINUTE_MS)],
      ['more than five minutes in the future', timestampIn(6 * MINUTE_MS)],
      ['that is not a time', 'yesterday-ish'],
    ])(
      'the receiver responds 400 to a validly signed timestamp %s [§6.3, §6.4, signature.tolerance]',
      async (_, timestamp) => {
        const { body } = createEnvelope();

        expect(await deliver(body, headersFor(body, timestamp))).toBe(400);
      },
    );

    it.each(['Service-Signature', 'Service-Timestamp'])(
      'the receiver responds 400 when %s is missing [§6.2, §6.4]',
      async (name) => {
        const { body } = createEnvelope();
        const { [name]: _, ...headers } = headersFor(body);

        expect(await deliver(body, headers)).toBe(400);
      },
    );

    it('the receiver responds 400 to a signature made with another secret and does not process the event [§6.4]', async () => {
      const forged = createEnvelope();
      const genuine = createEnvelope();
      const headers = headersFor(forged.body);

      expect(
        await deliver(forged.body, {
          ...headers,
          'Service-Signature': sign(forged.body, String(headers['Service-Timestamp']), otherSecret),
        }),
      ).toBe(400);
      await deliver(genuine.body, headersFor(genuine.body));
      expect(await receiver.printed(new RegExp(genuine.id))).not.toContain(forged.id);
    });

    it('the receiver responds 400 when the body was serialized again after signing [§6.1]', async () => {
      const { body } = createEnvelope();

      expect(await deliver(JSON.stringify(JSON.parse(body)), headersFor(body))).toBe(400);
    });

    it.each([
      ['only the digest', (signature: string) => signature.slice('v1='.length)],
      ['half a signature', (signature: string) => signature.slice(0, 35)],
      ['an empty signature', () => ''],
      ['text beyond ASCII', () => 'v1=\u00e9\u00e8'],
    ])('the receiver responds 400 to %s [signature.header]', async (_, alter) => {
      const { body } = createEnvelope();
      const headers = headersFor(body);

      expect(
        await deliver(body, { ...headers, 'Service-Signature': alter(String(headers['Service-Signature'])) }),
      ).toBe(400);
    });

    it('the receiver accepts either of two signatures while the secret is rotated [signature.header]', async () => {
      const { body } = createEnvelope();
      const timestamp = timestampIn(0);
      const ours = sign(body, timestamp);
      const otherSignature = sign(body, timestamp, otherSecret);

      for (const signatures of [
        `${otherSignature},${ours}`,
        `${ours},${otherSignature}`,
        `${otherSignature}, ${ours}`,
      ]) {
        expect(await deliver(body, { ...headersFor(body, timestamp), 'Service-Signature': signatures })).toBe(
          204,
        );
      }
      expect(
        await deliver(body, {
          ...headersFor(body, timestamp),
          'Service-Signature': `${otherSignature},${otherSignature}`,
        }),
      ).toBe(400);
    });

    it('the receiver accepts a duplicate and processes its event once [§6.6]', async () => {
      const twice = createEnvelope();
      const last = createEnvelope();

      for (const { body } of [twice, twice, last]) expect(await deliver(body, headersFor(body))).toBe(204);

      const output = await receiver.printed(new RegExp(last.id));
      expect(output.split(twice.id)).toHaveLength(2);
    });

    it('the receiver passes svc receiver check [§6.1, §6.2, §6.3, §6.4, §6.5, §6.6]', async () => {
      const countEffects = async () => (await receiver.printed(/^/)).match(/^processed /gm)?.length ?? 0;
      const report = await checkReceiver({
        url: `http://127.0.0.1:${receiver.port}/webhooks`,
        secret,
        countEffects,
      });
      expect(idsOf(report, 'failed')).toEqual([]);
    });

    it('the receiver survives a sender that disconnects in the middle of a body', async () => {
      const socket = connect(receiver.port, '127.0.0.1').resume();
      socket.end('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"data"');
      await once(socket, 'close');
      const { body } = createEnvelope();

      expect(await deliver(body, headersFor(body))).toBe(204);
    });
  });
}
