import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeCertificate } from '../../src/cli/boot-emulator.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { createRunFile, createStateFolder, findRunFile } from '../../src/config/run-file.ts';
import type { Emulator } from '../../src/emulator.ts';
import { getCertificate } from '../support/certificates.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createFakeHost, type FakeOptions } from './fake-context.ts';

async function run(args: string, options: FakeOptions) {
  const { host, capturedOutput } = createFakeHost(options);
  return { exitCode: await runCommandLine(args.split(' '), host), ...capturedOutput };
}

/** A folder with the state of a running emulator, as `svc emulator start` writes it. */
function createFolderOf(emulator: Emulator): string {
  const folder = createTemporaryFolder();
  const certificate = writeCertificate(createStateFolder(folder, {}), emulator.certificate);
  createRunFile(folder, { ...emulator.status(), ...(certificate && { certificate }) }, {});
  return folder;
}

describe('writeCertificate', () => {
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
});

describe('commands with an HTTPS emulator', () => {
  it('commands in the folder of the emulator trust its certificate for control plane, API and stream', async () => {
    await using emulator = await startTestEmulator({ https: true });
    const cwd = createFolderOf(emulator);
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

  it('svc emulator start names the emulator that uses the port', async () => {
    await using emulator = await startTestEmulator();
    const { url, pid } = emulator.status();
    const { port } = new URL(url);
    const args = `emulator start --port ${port} --db :memory:`;
    const { exitCode, err } = await run(args, { cwd: createTemporaryFolder() });
    expect(exitCode).toBe(2);
    expect(err).toContain(`Port ${port} on 127.0.0.1 is already in use by svc (pid ${pid}, database `);
    expect(err).toContain(`svc emulator stop --url ${url}`);
  });

  it('svc env sets NODE_EXTRA_CA_CERTS to the certificate of the emulator', async () => {
    await using emulator = await startTestEmulator({ https: true });
    const cwd = createFolderOf(emulator);
    const { out } = await run('env --format dotenv', { cwd });
    expect(out).toContain(`NODE_EXTRA_CA_CERTS=${join(cwd, '.svc', 'certificate.pem')}\n`);
  });

  it('commands in other folders report the untrusted certificate, and trust it with SVC_CA', async () => {
    await using emulator = await startTestEmulator({ https: true });
    const certificate = join(createFolderOf(emulator), '.svc', 'certificate.pem');
    const cwd = createTemporaryFolder();
    const status = `emulator status --url ${emulator.status().url}`;
    const refused = await run(status, { cwd });
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toMatch(/The certificate of https:\/\/127\.0\.0\.1:\d+ is not trusted: .*\n.*SVC_CA/);
    expect(await run(status, { cwd, env: { SVC_CA: certificate } })).toMatchObject({ exitCode: 0, err: '' });
  });
});
