import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeCertificate } from '../../src/cli/boot-emulator.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { createRunFile, createStateFolder, findRunFile } from '../../src/config/run-file.ts';
import type { Emulator } from '../../src/emulator.ts';
import { getCertificate } from '../support/certificates.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createFakeHost, type FakeOptions, runLine } from './fake-context.ts';

const run = (line: string, options: FakeOptions) => runLine(line.split(' '), options);

/** A folder with the state of a running emulator, as `svc emulator start` writes it. */
function createFolderOf(emulator: Emulator): string {
  const folder = createTemporaryFolder();
  const certificate = writeCertificate(createStateFolder(folder, {}), emulator.certificate);
  createRunFile(folder, { ...emulator.status(), ...(certificate && { certificate }) }, {});
  return folder;
}

it('the certificate is written to a file that everyone can read', () => {
  const folder = createTemporaryFolder();
  const { cert } = getCertificate('self-signed');
  const path = writeCertificate(folder, cert);
  expect(path).toBe(join(folder, 'certificate.pem'));
  expect(readFileSync(path ?? '', 'utf8')).toBe(cert);
  if (process.platform !== 'win32') expect(statSync(path ?? '').mode & 0o444).toBe(0o444);
  createRunFile(
    folder,
    {
      ...{ pid: process.pid, started_at: '', control_url: 'https://127.0.0.1:1/_svc', version: '0' },
      ...(path && { certificate: path }),
    },
    {},
  );
  expect(findRunFile({ cwd: folder, env: {} })?.certificate).toBe(path);
});

describe('commands with an HTTPS emulator', () => {
  let emulator: TestEmulator;
  let cwd: string;
  beforeAll(async () => {
    emulator = await startTestEmulator({ https: true });
  });
  beforeEach(() => {
    cwd = createFolderOf(emulator);
  });
  afterAll(() => emulator.close());

  it('commands in the folder of the emulator trust its certificate for control plane, API and stream', async () => {
    expect(await run('emulator status --json', { cwd })).toMatchObject({ exitCode: 0, err: '' });
    expect(await run('trigger order.shipped --json', { cwd })).toMatchObject({ exitCode: 0 });
    const interruption = new AbortController();
    const { host } = createFakeHost({ cwd, signal: interruption.signal });
    const lines: string[] = [];
    const write = (line: string) => {
      lines.push(line);
      interruption.abort();
    };
    await runCommandLine(['logs', 'tail', '--json'], { ...host, io: { ...host.io, write } });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'ready' });
    const { url } = emulator.status();
    expect(await run(`emulator status --url ${url}`, { cwd })).toMatchObject({ exitCode: 0 });
  });

  it('svc env sets NODE_EXTRA_CA_CERTS to the certificate of the emulator', async () => {
    const { out } = await run('env --format dotenv', { cwd });
    expect(out).toContain(`NODE_EXTRA_CA_CERTS=${join(cwd, '.svc', 'certificate.pem')}\n`);
  });

  it('commands in other folders report the untrusted certificate, and trust it with SVC_CA', async () => {
    const elsewhere = { cwd: createTemporaryFolder() };
    const status = `emulator status --url ${emulator.status().url}`;
    const refused = await run(status, elsewhere);
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toMatch(/The certificate of https:\/\/127\.0\.0\.1:\d+ is not trusted: .*\n.*SVC_CA/);
    const env = { SVC_CA: join(cwd, '.svc', 'certificate.pem') };
    expect(await run(status, { ...elsewhere, env })).toMatchObject({ exitCode: 0, err: '' });
  });
});
