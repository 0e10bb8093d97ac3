import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { skipInformationalResponses } from '../../src/delivery/origin-pool.ts';
import { createRawReceiver, readRequest } from '../support/raw-receiver.ts';
import { createGate, createPostRequest, createTestSender, limits } from './sender-setup.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\n\r\n';

/** A socket that returns one chunk for each read, and skips informational responses. */
function createSkippingSocket() {
  const errors: string[] = [];
  const chunks: Buffer[] = [];
  const socket = {
    read: (): Buffer | null => chunks.shift() ?? null,
    destroy: (error: Error) => errors.push(error.message),
  };
  const startRequest = skipInformationalResponses(socket as never);
  startRequest();
  return {
    errors,
    startRequest,
    /** What a reader gets of each chunk; null for nothing. */
    readAll: (...texts: string[]) =>
      texts.map((text) => {
        chunks.push(Buffer.from(text, 'latin1'));
        return socket.read()?.toString('latin1') ?? null;
      }),
  };
}

describe('skipInformationalResponses', () => {
  const informational = fc.constantFrom(EARLY_HINTS, 'HTTP/1.1 100 Continue\r\nX-A: HTTP/1.1 200\r\n\r\n');
  const final = fc.constantFrom(OK, `${OK}${EARLY_HINTS}`, 'HTTP/1.0 204 \r\n\r\n', 'SSH-2.0', '\r\n');
  const response = fc.record({
    skipped: fc.array(informational, { maxLength: 3 }),
    final,
    cuts: fc.array(fc.nat(200), { maxLength: 8 }),
  });

  it('however its bytes are split, a reader gets each response without the informational ones before it', () => {
    fc.assert(
      fc.property(fc.array(response, { minLength: 1, maxLength: 3 }), (responses) => {
        const { readAll, startRequest, errors } = createSkippingSocket();
        for (const { skipped, final: expected, cuts } of responses) {
          const text = skipped.join('') + expected;
          const positions = [0, ...cuts.filter((at) => at < text.length).sort((a, b) => a - b)];
          startRequest();
          const read = readAll(...positions.map((at, i) => text.slice(at, positions[i + 1])));
          expect(read.join('')).toBe(expected);
        }
        expect(errors).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('64 informational responses to each request are skipped, and the 65th closes the connection', () => {
    const { readAll, startRequest, errors } = createSkippingSocket();
    for (let request = 0; request < 2; request++) {
      startRequest();
      expect(readAll(EARLY_HINTS.repeat(60), EARLY_HINTS.repeat(4), OK)).toEqual([null, null, OK]);
    }
    startRequest();
    expect(readAll(EARLY_HINTS.repeat(65), OK)).toEqual([null, null]);
    expect(errors[0]).toContain('more than 64 informational responses');
  });

  it('64 KiB of informational responses to each request are skipped, and a byte more closes the connection', () => {
    const pad = (size: number) => `HTTP/1.1 103 Any\r\nX: ${'x'.repeat(size - 25)}\r\n\r\n`;
    const { readAll, startRequest, errors } = createSkippingSocket();
    for (let request = 0; request < 2; request++) {
      startRequest();
      expect(readAll(pad(65_000), pad(536), OK)).toEqual([null, null, OK]);
    }
    startRequest();
    expect(readAll(pad(65_000))).toEqual([null]);
    expect(errors).toEqual([]);
    expect(readAll(pad(537))).toEqual([null]);
    expect(errors).toEqual([expect.stringContaining('more than 64 KiB of them')]);
  });

  it('an informational response with headers beyond 16 KiB is left to undici, which rejects it', () => {
    const { readAll } = createSkippingSocket();
    const head = 'HTTP/1.1 103 Any\r\nX: '.padEnd(16 * 1024, 'x');
    expect(readAll(head, 'y')).toEqual([null, `${head}y`]);
  });

  it.each([
    [['HTTP/1.1 101'], 1],
    [['HTTP/1.1 10', '1 Switching Protocols'], 1],
    [[`${EARLY_HINTS}HTTP/1.1 101 Any\r\n\r\n`], 1],
    [['HTTP/1.1 10'], 0],
    [['HTTP/1.1 201 101'], 0],
  ])('only 101 Switching Protocols closes the connection: %j', (texts, count) => {
    const { readAll, errors } = createSkippingSocket();
    readAll(...texts);
    const error = 'returned 101 Switching Protocols, which was not requested';
    expect(errors).toEqual(Array.from({ length: count }, () => error));
  });
});

describe('the connections of a pool', () => {
  it('a receiver that closes a new connection before it responds is not said to have closed a keep-alive connection', async () => {
    const closed = createGate();
    await using receiver = await createRawReceiver(async (socket, index) => {
      await readRequest(socket);
      if (index === 0) socket.on('close', closed.open).end(OK);
      else socket.end();
    });
    const sender = createTestSender({ connectionsPerOrigin: 1 });
    await sender.send(createPostRequest(receiver.url));
    await closed.opened;
    const { error } = await sender.send(createPostRequest(receiver.url));
    expect(error).toContain('closed the connection before it responded');
    expect(receiver.connections).toBe(2);
  });

  it('a request on a reused connection is not sent before its own bytes were written', async () => {
    await using receiver = await createRawReceiver(async (socket) => {
      await readRequest(socket);
      socket.write(OK);
    });
    const sender = createTestSender({
      connectionsPerOrigin: 1,
      limits: { ...limits, attemptTimeoutMs: 500 },
    });
    await sender.send(createPostRequest(receiver.url));
    const slow = { ...createPostRequest(receiver.url), writeOverMs: 60_000 };
    const result = await sender.send(slow);
    expect(result).toMatchObject({ outcome: 'timeout', phases: { connect: null, wait: null } });
    expect(receiver.connections).toBe(1);
  });
});
