import { once } from 'node:events';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getCertificate } from '../support/certificates.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

/** Sends a GET that trusts only `ca`. @returns the status */
const get = (url: string, ca: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(url, { ca }, (response) => response.resume().once('end', () => resolve(response.statusCode)))
      .once('error', reject)
      .end();
  });

describe('an emulator with HTTPS', () => {
  it('an emulator with HTTPS serves the API with a generated certificate for localhost and its address [§1.https]', async () => {
    await using emulator = await startTestEmulator({ https: true });
    const { base_url, url } = emulator.status();
    expect(base_url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/v1$/);
    const { certificate } = emulator;
    expect(await get(`${url}/healthz`, certificate ?? '')).toBe(200);
    expect(await get(`${url.replace('127.0.0.1', 'localhost')}/healthz`, certificate ?? '')).toBe(200);
    expect(await get(`${base_url}/events`, certificate ?? '')).toBe(401);
  });

  it('emulators with HTTPS and port 0 listen on different ports, not on the default port of listhen', async () => {
    const start = () => startTestEmulator({ https: true });
    const emulators = await Promise.all([start(), start()]);
    await using first = emulators[0];
    await using second = emulators[1];
    const ports = [first, second].map((emulator) => new URL(emulator.status().url).port);
    expect(new Set([...ports, '3000']).size).toBe(3);
  });

  it('an emulator with HTTPS stops while a connection has not started its TLS handshake', async () => {
    await using emulator = await startTestEmulator({ https: true });
    const socket = connect(Number(new URL(emulator.status().url).port), '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await emulator.close();
    await closed;
  });

  it('an emulator with HTTPS does not use another port', async () => {
    await using first = await startTestEmulator();
    const { port } = new URL(first.status().url);
    await expect(startTestEmulator({ https: true, port: Number(port) })).rejects.toMatchObject({
      code: 'port_in_use',
    });
  });

  it('the content of a private key is not accepted as a path, and not part of the error', async () => {
    const { cert, key } = getCertificate('self-signed');
    await expect(startTestEmulator({ https: { cert, key } })).rejects.toMatchObject({
      code: 'usage',
      message: 'The option https needs the paths of two PEM files, not their contents.',
    });
  });

  it('an error says what is wrong with files that are not a certificate', async () => {
    const folder = createTemporaryFolder();
    const missing = { cert: join(folder, 'none.crt'), key: join(folder, 'none.key') };
    await expect(startTestEmulator({ https: missing })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('none.crt'),
    });
  });
});

it('an emulator does not start on a busy port, and does not use another one', async () => {
  await using first = await startTestEmulator();
  const { port } = new URL(first.status().url);
  await expect(startTestEmulator({ port: Number(port) })).rejects.toMatchObject({ code: 'port_in_use' });
});
