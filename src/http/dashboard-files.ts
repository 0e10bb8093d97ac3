/** The files of the built dashboard, which are read and compressed at the first request and kept in memory. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { SvcError } from '../errors.ts';
import { findPackageFolder } from '../package-info.ts';

export interface DashboardFile {
  readonly type: string;
  /** @param accepted the `Accept-Encoding` of the request. */
  encodeFor(accepted: string): Representation;
}

export interface Representation {
  readonly coding: Coding;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Strong ETag. */
  readonly etag: string;
}

export interface DashboardFiles {
  /**
   * The file at a path: `/`, or `/assets/…` with the name of a file in that folder.
   * @throws SvcError `not_found`, also when the dashboard has not been built.
   */
  get(path: string): DashboardFile;
}

const codings = {
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes: Buffer) => gzipSync(bytes),
  identity: (bytes: Buffer) => bytes,
};
type Coding = keyof typeof codings;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};
const INCOMPRESSIBLE_EXTENSIONS = new Set(['.woff2', '.png', '.ico']);

export function createDashboardFiles(folder?: string): DashboardFiles {
  let files: ReadonlyMap<string, DashboardFile> | null = null;
  return {
    get(path) {
      files ??= readFiles(folder ?? findDashboardFolder());
      const file = files.get(path);
      if (file === undefined) throw new SvcError('not_found', `The dashboard has no file ${path}.`);
      return file;
    },
  };
}

function findDashboardFolder(): string {
  const folder = findPackageFolder();
  if (folder !== null) return join(folder, 'dist/dashboard');
  throw new SvcError('not_found', 'This bundled application does not contain the files of the dashboard.', {
    hint: 'Install the package where the application runs: npm install svc-emulator',
  });
}

function readFiles(folder: string): ReadonlyMap<string, DashboardFile> {
  const index = join(folder, 'index.html');
  if (!existsSync(index)) {
    throw new SvcError('not_found', 'The dashboard has not been built.', {
      hint: 'Run `npm run build` in the folder of svc, then reload this page.',
    });
  }
  const assets = join(folder, 'assets');
  const names = existsSync(assets) ? readdirSync(assets) : [];
  return new Map([
    ['/', readFile(index)],
    ...names.map((name) => [`/assets/${name}`, readFile(join(assets, name))] as const),
  ]);
}

function readFile(path: string): DashboardFile {
  const bytes = readFileSync(path);
  const extension = extname(path);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const representations: Partial<Record<Coding, Representation>> = {};
  const encode = (coding: Coding): Representation => ({
    coding,
    bytes: new Uint8Array(codings[coding](bytes)),
    etag: `"${hash}-${coding}"`,
  });
  return {
    type: contentTypes[extension] ?? 'application/octet-stream',
    encodeFor(accepted) {
      const coding = INCOMPRESSIBLE_EXTENSIONS.has(extension) ? 'identity' : chooseCoding(accepted);
      representations[coding] ??= encode(coding);
      return representations[coding];
    },
  };
}

/** `q=0` means that a coding is not accepted. */
const ZERO_WEIGHT = /;\s*q=0(?:\.0*)?\s*$/;

/** The best coding that the client accepts. */
function chooseCoding(accepted: string): Coding {
  const names = accepted
    .split(',')
    .filter((entry) => !ZERO_WEIGHT.test(entry))
    .map((entry) => entry.replace(/;.*$/s, '').trim().toLowerCase());
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : 'identity';
}
