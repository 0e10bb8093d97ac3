/** The files of the image. `npm run test:image` builds and runs it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createEmulator } from '../../src/index.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Runs the entry point with an svc that prints its arguments. */
async function runEntryPoint(args: readonly string[], env: Readonly<Record<string, string>>) {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'svc'), '#!/bin/sh\necho "svc $*"\n', { mode: 0o755 });
  const path = `${folder}:${process.env.PATH}`;
  const options = { env: { ...env, PATH: path }, extendEnv: false, reject: false };
  return execa('sh', [join(root, 'scripts/image-entrypoint.sh'), ...args], options);
}

it.skipIf(process.platform === 'win32')(
  'the image does not start an emulator without a token [control.image]',
  async () => {
    const { exitCode, stdout, stderr } = await runEntryPoint(['emulator', 'start'], { SVC_HOST: '0.0.0.0' });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: .*SVC_CONTROL_TOKEN must be set\.\nhint: .*openssl rand -hex 16/);
  },
);

it.skipIf(process.platform === 'win32').each([
  ['with a token', ['emulator', 'start', '--freeze'], { SVC_HOST: '0.0.0.0', SVC_CONTROL_TOKEN: 'x' }],
  ['on a loopback address without a token', ['emulator', 'start'], { SVC_HOST: '127.0.0.1' }],
  ['for help without a token', ['emulator', 'start', '--help'], { SVC_HOST: '0.0.0.0' }],
  ['for another command without a token', ['trigger', 'a b'], { SVC_HOST: '0.0.0.0' }],
])('the image runs svc %s', async (_, args, env) => {
  const { exitCode, stdout } = await runEntryPoint(args, env);
  expect([exitCode, stdout]).toEqual([0, `svc ${args.join(' ')}`]);
});

it('the context of the image contains the files that the Dockerfile copies, and no others', () => {
  const copied = Array.from(read('Dockerfile').matchAll(/^COPY (.*) \S+$/gm), ([, sources = '']) => sources);
  const expected = [
    '*',
    ...copied
      .join(' ')
      .split(' ')
      .map((path) => `!${path}`),
  ];
  expect(read('.dockerignore').trim().split('\n').sort()).toEqual(expected.sort());
});

it('the seed in compose.yaml is valid, and the receiver gets its key and its secret', async () => {
  const { services, configs } = parse(read('compose.yaml'));
  const seed = parse(configs.seed.content.replace(/\$\{\w+:-(.*?)\}/g, '$1'));
  await using emulator = await createEmulator({ seed });
  const { SVC_API_KEY, SVC_WEBHOOK_SECRET, SVC_BASE_URL } = services.receiver.environment;
  expect(emulator.apiKey).toBe(SVC_API_KEY);
  expect(seed.workspaces[0].webhooks[0].secret).toBe(SVC_WEBHOOK_SECRET);
  expect(SVC_BASE_URL).toBe(`${services.emulator.environment.SVC_PUBLIC_URL}/v1`);
});
