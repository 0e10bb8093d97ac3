import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createControlDocument } from '../../src/operations/openapi/openapi-document.ts';

const dist = join(import.meta.dirname, '../../dist');
/** A statement in which a module loads others at its start. */
const DECLARATION = /^(?:const|let|var|import|require|\}\)\)).*/gm;
const LOADED = /(?:^require\(| = require\(|\bgetBuiltinModule\(| from )"([^"]+)"/gm;

const chunks = readdirSync(join(dist, 'chunks')).map((name) => `chunks/${name}`);

/** The chunk with this name. */
function findChunk(name: string): string {
  const pattern = new RegExp(`/${name}-[\\w-]{8}\\.js$`);
  const chunk = chunks.find((path) => pattern.test(path));
  if (chunk === undefined) throw new Error(`No chunk is called ${name}.`);
  return chunk;
}

/** What a file of the build loads at its start, and the source files in it. */
function readModule(file: string) {
  const text = readFileSync(file, 'utf8');
  const declarations = (text.match(DECLARATION) ?? []).join('\n');
  return {
    ids: Array.from(declarations.matchAll(LOADED), ([, id = '']) => id),
    sources: Array.from(text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm), ([, source = '']) => source),
  };
}

const builtModules = new Map<string, ReturnType<typeof readModule>>();

const listFiles = (folder: string) => readdirSync(join(dist, folder)).map((name) => join(dist, folder, name));

/** The files of the build, the source files and the external modules that a file and its imports load at their start. */
function loadedWith(entry: string) {
  const files = new Set([join(dist, entry)]);
  const modules = new Set<string>();
  const sources: string[] = [];
  for (const file of files) {
    const module = builtModules.get(file) ?? readModule(file);
    builtModules.set(file, module);
    sources.push(...module.sources);
    for (const id of module.ids) {
      if (id.startsWith('.')) files.add(join(dirname(file), id));
      else modules.add(id);
    }
  }
  return { files: [...files], sources, modules: [...modules] };
}

it('svc-emulator/signature imports only node:crypto', () => {
  const { sources, modules } = loadedWith('signature.js');
  expect(modules).toEqual(['node:crypto']);
  expect(sources).toContain('src/signature/verify.ts');
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
  const loaded = chunks.map(loadedWith);
  expect(loaded.flatMap(({ sources }) => sources).some((source) => listhen.test(source))).toBe(true);
  expect(loaded.flatMap(({ modules }) => modules)).not.toContain('listhen');
});

it('only fuzzing loads fast-check, from its own bundle', () => {
  const fastCheck = /node_modules\/(?:fast-check|pure-rand)\//;
  for (const entry of ['index.js', 'cli.js', findChunk('receiver-fuzz')]) {
    expect(loadedWith(entry).sources.filter((source) => fastCheck.test(source))).toEqual([]);
  }
  const sources = chunks.flatMap((chunk) => loadedWith(chunk).sources);
  expect(sources.some((source) => fastCheck.test(source))).toBe(true);
});

it('the library does not load the code for fuzzing', () => {
  const { sources } = loadedWith('index.js');
  expect(sources.filter((source) => source.startsWith('src/receivers/fuzz/'))).toEqual([]);
});

it('the public types need no package but the test runner of the project and those of Node.js', () => {
  const types = join(dist, 'types');
  const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.d\.m?ts$/.test(name),
  );
  const targets = files.flatMap((name) =>
    Array.from(
      readFileSync(join(types, name), 'utf8').matchAll(/\b(?:from |import\()["']([^."'][^"']*)["']/g),
      ([, target = '']) => target,
    ),
  );
  const runners = ['vitest', '@playwright/test'];
  expect(targets.filter((target) => !runners.includes(target) && !target.startsWith('node:'))).toEqual([]);
});

it('svc-emulator/vitest uses the Vitest of the project and shares the modules of the library', () => {
  const { sources, modules } = loadedWith('vitest.mjs');
  expect(modules).toContain('vitest');
  expect(sources.filter((source) => source.includes('/vitest/'))).toEqual([]);
  expect(sources).toEqual(expect.arrayContaining(loadedWith('index.js').sources));
});

it('svc --help does not load modules that only single commands need', () => {
  const { sources } = loadedWith('cli.js');
  expect(sources).toContain('src/cli/main.ts');
  expect(
    sources.filter((source) => /src\/(operations|profile|resources)\/|string-width/.test(source)),
  ).toEqual([]);
});

describe('the descriptions of the OpenAPI documents', () => {
  const document = JSON.stringify(createControlDocument(''), (key, value) =>
    key.startsWith('example') ? undefined : value,
  );
  const descriptions = [...new Set(document.match(/(?<="description":")[^"\\]{30,}/g))];
  const findIn = (files: readonly string[]) => {
    const code = files.map((file) => readFileSync(file, 'utf8')).join('');
    return descriptions.filter((description) => code.includes(description));
  };

  it('the page and svc --help do not contain the descriptions', () => {
    expect(findIn(listFiles('dashboard/assets'))).toEqual([]);
    expect(findIn(loadedWith('cli.js').files)).toEqual([]);
  });

  it('the emulator contains the descriptions', () => {
    expect(findIn(listFiles('chunks')).length).toBeGreaterThan(200);
  });
});

it('an emulator loads the OpenAPI documents only when they are requested', () => {
  const { sources } = loadedWith('index.js');
  expect(sources).toContain('src/operations/operation.ts');
  expect(sources.filter((source) => source.includes('openapi-'))).toEqual([]);
});

it('svc verify loads no schemas of the control plane', () => {
  const signatureChunks = chunks.filter((path) => path.includes('/signature-'));
  const sources = signatureChunks.flatMap((chunk) => loadedWith(chunk).sources);
  expect(sources).toContain('src/signature/verify.ts');
  expect(sources.filter((source) => /src\/operations\//.test(source))).toEqual([]);
});

it('the command line and the library load modules of Node.js that few commands need when they are first used', () => {
  const names = ['child_process', 'dns', 'fs/promises', 'https', 'net', 'readline', 'stream/web'];
  const late = [...names, 'tls', 'zlib'].map((name) => `node:${name}`);
  const commands = chunks.filter((chunk) =>
    loadedWith(chunk).sources.some((source) => source.startsWith('src/cli/commands/')),
  );
  expect(commands.length).toBeGreaterThan(10);
  const loaded = ['index.js', 'cli.js', ...commands].flatMap((file) => loadedWith(file).modules);
  expect(loaded).toContain('node:fs');
  expect(loaded.filter((name) => late.includes(name))).toEqual([]);
});

it('the protocol of coding agents is loaded only by svc mcp', () => {
  const protocol = /node_modules\/(?:@modelcontextprotocol|zod)\//;
  const sourcesOf = (name: string) =>
    loadedWith(name).sources.filter((source) => protocol.test(source) || source.startsWith('src/mcp/tools/'));
  for (const entry of ['index.js', 'cli.js', 'vitest.mjs', findChunk('mcp')]) {
    expect(sourcesOf(entry), entry).toEqual([]);
  }
  expect(sourcesOf(findChunk('serve-stdio')).length).toBeGreaterThan(10);
  expect(gzipSync(readFileSync(join(dist, findChunk('serve-stdio')))).length).toBeLessThan(200_000);
});

it('svc trigger loads neither the emulator nor node:crypto', () => {
  const { sources, modules } = loadedWith(findChunk('trigger'));
  expect(sources).toContain('src/cli/commands/trigger.ts');
  expect(sources.filter((source) => /src\/(delivery|sandbox|store)\//.test(source))).toEqual([]);
  expect(modules).toContain('node:path');
  expect(modules).not.toContain('node:crypto');
});

describe('the compressed dashboard', () => {
  const page = join(dist, 'dashboard');
  const measure = (path: string) => gzipSync(readFileSync(path)).length;
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);

  it('the compressed dashboard is smaller than 300 KB with all views', () => {
    const files = readdirSync(page, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.length).toBeGreaterThan(2);
    expect(sum(files.map(({ parentPath, name }) => measure(join(parentPath, name))))).toBeLessThan(300_000);
  });
});
