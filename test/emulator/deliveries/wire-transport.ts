/** A transport over real connections, to compare what the receivers saw with the recorded attempts. */
import type { Socket } from 'node:net';
import { createSender } from '../../../src/emulator/deliveries/sender.ts';
import { createRawReceiver, readRequest } from '../../support/raw-receiver.ts';
import { runEventLoop, type SentAttempt } from './dispatcher-setup.ts';
import { pickCyclic, type Transport } from './random-history.ts';
import { wall } from './sender-setup.ts';

/** Time jumps in a history, so no attempt may time out. */
const NO_LIMIT = { connectTimeoutMs: 2 ** 30, attemptTimeoutMs: 2 ** 30, responseLimitBytes: 1_024 };

/** @param hostCount number of hosts; each is an origin that keeps its connections open between requests */
export async function openWireTransport(hostCount: number): Promise<Transport> {
  const inFlight = new Set<SentAttempt>();
  const sockets = new Map<SentAttempt, Socket>();
  const counts = new Map<string, number>();
  const hosts = await Promise.all(
    Array.from({ length: hostCount }, async () => {
      const host = { dropsUnread: false, url: '', close: async () => {} };
      const { url, close } = await createRawReceiver(async (socket) => {
        for (;;) {
          const text = await readRequest(socket);
          const deliveryId = /^service-delivery-id: (\S+)/im.exec(text)?.[1] ?? '';
          counts.set(deliveryId, (counts.get(deliveryId) ?? 0) + 1);
          if (host.dropsUnread) {
            host.dropsUnread = false;
            socket.resetAndDestroy();
            return;
          }
          const sent = toSent(text, deliveryId, url, (response) => {
            inFlight.delete(sent);
            if (response === null) socket.end();
            else socket.write(response);
          });
          sockets.set(sent, socket);
          inFlight.add(sent);
        }
      });
      return Object.assign(host, { url, close });
    }),
  );
  const sender = createSender({ rule: 'local', wall, limits: NO_LIMIT });
  return {
    sender,
    origins: hosts.map(({ url }) => url),
    inFlight: inFlight,
    drop(number) {
      const sent = pickCyclic([...inFlight], number);
      if (sent === undefined) return;
      inFlight.delete(sent);
      sockets.get(sent)?.end();
    },
    dropUnread(number) {
      const host = pickCyclic(hosts, number);
      if (host !== undefined) host.dropsUnread = true;
    },
    countOf: (deliveryId) => counts.get(deliveryId) ?? 0,
    async [Symbol.asyncDispose]() {
      sender.close();
      await Promise.all(hosts.map(({ close }) => close()));
    },
  };
}

/** @param respond writes the response, or closes the connection for null */
function toSent(
  text: string,
  deliveryId: string,
  origin: string,
  respond: (response: string | null) => void,
): SentAttempt {
  const url = new URL(text.split(' ')[1] ?? '/', origin).href;
  return {
    ...{ url, deliveryId, headers: {}, body: '' },
    respond({ outcome = 'succeeded', responseStatus = 200, retryAfterMs = null } = {}) {
      const retryAfter = retryAfterMs === null ? '' : `Retry-After: ${Math.ceil(retryAfterMs / 1000)}\r\n`;
      const hasResponse = outcome === 'succeeded' || outcome === 'http_error';
      respond(
        hasResponse ? `HTTP/1.1 ${responseStatus} Any\r\n${retryAfter}Content-Length: 0\r\n\r\n` : null,
      );
      return runEventLoop();
    },
  };
}
