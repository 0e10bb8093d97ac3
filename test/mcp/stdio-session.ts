/** A client of a server over streams. */
import { createInterface } from 'node:readline';
import type { PassThrough } from 'node:stream';

export async function initializeSession({ input, output }: Record<'input' | 'output', PassThrough>) {
  const lines = createInterface(output)[Symbol.asyncIterator]();
  const session = {
    send: (line: string) => void input.write(`${line}\n`),
    /** The next message of the server. */
    receive: async () => JSON.parse((await lines.next()).value),
  };
  const clientInfo = { name: 'test', version: '1.0.0' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  session.send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  await session.receive();
  return session;
}

export const callOf = (id: number, tool: string, args: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`;
