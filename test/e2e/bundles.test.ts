import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const dist = join(import.meta.dirname, '../../dist');
const IMPORT = /^(?:import|export)\b[^;]*?"([^"]+)";$/gm;
/** How the build imports modules of Node.js. */
const BUILTIN_IMPORT = /(?<=^var .*)process\.getBuiltinModule\("([^"]+)"\)/gm;

/** The source files and the external modules that an entry point loads with static imports. */
function loadedWith(entry: string) {
  const files = new Set([join(dist, entry)]);
  const modules = new Set<string>();
  let text = '';
  for (const file of files) {
    const content = readFileSync(file, 'utf8');
    text += content;
    for (const [, address = ''] of content.matchAll(IMPORT)) {
      if (address.startsWith('.')) files.add(join(dirname(file), address));
      else modules.add(address);
    }
    for (const [, id = ''] of content.matchAll(BUILTIN_IMPORT)) modules.add(id);
  }
  const sources = [...text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm)].map(([, source = '']) => source);
  return { sources, modules: [...modules] };
}

it('svc-emulator/signature imports only node:crypto', () => {
  const { sources, modules } = loadedWith('signature.js');
  expect(modules).toEqual(['node:crypto']);
  expect(sources).toContain('src/domain/signature/verify.ts');
  expect(sources.filter((source) => source.includes('node_modules'))).toEqual([]);
});

it('the library does not load the command line', () => {
  const { sources } = loadedWith('index.js');
  expect(sources).toContain('src/store/store.ts');
  expect(sources.filter((source) => /src\/cli\/|\/commander\//.test(source))).toEqual([]);
});

it('the library loads listhen only for HTTPS, from its own bundle', () => {
  const listhen = /node_modules\/(?:listhen|node-forge)\//;
  expect(loadedWith('index.js').sources.filter((source) => listhen.test(source))).toEqual([]);
  const chunks = readdirSync(join(dist, 'chunks')).map((name) => loadedWith(`chunks/${name}`));
  expect(chunks.flatMap(({ sources }) => sources).some((source) => listhen.test(source))).toBe(true);
  expect(chunks.flatMap(({ modules }) => modules)).not.toContain('listhen');
});

it('only the exploration of receivers loads fast-check, from its own bundle', () => {
  const fastCheck = /node_modules\/(?:fast-check|pure-rand)\//;
  const chunks = readdirSync(join(dist, 'chunks'));
  const explore = chunks.find((name) => name.startsWith('receiver-explore-'));
  for (const entry of ['index.js', 'cli.js', `chunks/${explore}`]) {
    expect(loadedWith(entry).sources.filter((source) => fastCheck.test(source))).toEqual([]);
  }
  const sources = chunks.flatMap((name) => loadedWith(`chunks/${name}`).sources);
  expect(sources.some((source) => fastCheck.test(source))).toBe(true);
});

it('an emulator loads the exploration of receivers only when it is used', () => {
  const { sources } = loadedWith('index.js');
  expect(sources).toContain('src/control/exploration-handlers.ts');
  expect(sources.filter((source) => source.startsWith('src/receiver/explore/'))).toEqual([]);
});

it('the public types need no package but the Vitest of the project and those of Node.js', () => {
  const types = join(dist, 'types');
  const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.d.ts'),
  );
  const targets = files.flatMap((name) =>
    Array.from(
      readFileSync(join(types, name), 'utf8').matchAll(/\b(?:from |import\()["']([^."'][^"']*)["']/g),
      ([, target = '']) => target,
    ),
  );
  expect(targets.filter((target) => target !== 'vitest' && !target.startsWith('node:'))).toEqual([]);
});

it('svc-emulator/vitest uses the Vitest of the project and shares the modules of the library', () => {
  const { sources, modules } = loadedWith('vitest.js');
  expect(modules).toContain('vitest');
  expect(sources.filter((source) => source.includes('/vitest/'))).toEqual([]);
  expect(sources).toEqual(expect.arrayContaining(loadedWith('index.js').sources));
});

it('svc --help does not load modules that only single commands need', () => {
  const { sources } = loadedWith('cli.js');
  expect(sources).toContain('src/cli/main.ts');
  expect(sources.filter((source) => /src\/(contract|profile)\/|valibot|string-width/.test(source))).toEqual(
    [],
  );
});

it('an emulator loads the OpenAPI documents only when they are requested', () => {
  const { sources } = loadedWith('index.js');
  expect(sources).toContain('src/contract/operation.ts');
  expect(sources.filter((source) => source.includes('openapi-'))).toEqual([]);
});

it('svc verify loads no schemas of the control plane', () => {
  const chunks = readdirSync(join(dist, 'chunks')).filter((name) => name.startsWith('signature-'));
  const sources = chunks.flatMap((name) => loadedWith(`chunks/${name}`).sources);
  expect(sources).toContain('src/cli/commands/signature.ts');
  expect(sources.filter((source) => /src\/contract\/|valibot/.test(source))).toEqual([]);
});

it('the command line and the library load TLS, compression and child processes when they are first used', () => {
  const late = ['child_process', 'http2', 'https', 'readline', 'tls', 'zlib'].map((name) => `node:${name}`);
  const entries = [
    'index.js',
    'cli.js',
    ...readdirSync(join(dist, 'chunks')).map((name) => `chunks/${name}`),
  ];
  const loaded = entries.flatMap((entry) => loadedWith(entry).modules);
  expect(loaded).toContain('node:http');
  expect(loaded.filter((name) => late.includes(name))).toEqual([]);
});

it('the protocol of coding agents is loaded only by svc mcp and the first request to /_svc/mcp', () => {
  const protocol = /node_modules\/(?:@modelcontextprotocol|zod)\//;
  const sourcesOf = (name: string) =>
    loadedWith(name).sources.filter((source) => protocol.test(source) || source.startsWith('src/mcp/tools/'));
  const chunks = readdirSync(join(dist, 'chunks'));
  const command = chunks.find((name) => name.startsWith('mcp-') && !name.startsWith('mcp-server-'));
  for (const entry of ['index.js', 'cli.js', 'vitest.js', `chunks/${command}`]) {
    expect(sourcesOf(entry), entry).toEqual([]);
  }
  const handler = chunks.find((name) => name.startsWith('serve-http-'));
  expect(sourcesOf(`chunks/${handler}`).length).toBeGreaterThan(10);
  const protocolChunk = chunks.find((name) => name.startsWith('mcp-server-'));
  expect(gzipSync(readFileSync(join(dist, 'chunks', protocolChunk ?? ''))).length).toBeLessThan(200_000);
});

it('svc trigger does not load the emulator', () => {
  const chunk = readdirSync(join(dist, 'chunks')).find((name) => name.startsWith('trigger-'));
  const { sources } = loadedWith(`chunks/${chunk}`);
  expect(sources).toContain('src/cli/commands/trigger.ts');
  expect(sources.filter((source) => /src\/(delivery|sandbox|store)\//.test(source))).toEqual([]);
});

describe('the compressed dashboard', () => {
  const page = join(dist, 'dashboard');
  const measure = (path: string) => gzipSync(readFileSync(path)).length;
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);

  it('the compressed dashboard loads less than 60 KB before the first view', () => {
    const html = readFileSync(join(page, 'index.html'), 'utf8');
    const files = new Set(Array.from(html.matchAll(/assets\/[^"]+/g), ([name]) => join(page, name)));
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      for (const [, name = ''] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g))
        files.add(join(dirname(file), name));
    }
    expect(files.size).toBeGreaterThan(2);
    expect(sum([...files].map(measure))).toBeLessThan(60_000);
  });

  it('the compressed dashboard is smaller than 121 KB with all views', () => {
    const files = readdirSync(page, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.length).toBeGreaterThan(2);
    expect(sum(files.map(({ parentPath, name }) => measure(join(parentPath, name))))).toBeLessThan(121_000);
  });
});
