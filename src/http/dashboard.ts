/** Serves the dashboard: a page at `/` and its files. It requires the same host, origin and token as the control plane. */
import { extname } from 'node:path';
import { type H3, type H3Event, HTTPResponse } from 'h3';
import { formatHint, type InternalErrorLog, SvcError } from '../domain/errors.ts';
import { escapeHtml } from '../domain/escape-html.ts';
import { findPackageFiles, openFolder } from '../platform/package-files.ts';
import type { RequestGuard, ServeAllowed } from './request-guard.ts';
import { isolationHeaders, type ResponseHeaders, withErrorBoundary } from './responses.ts';

/** The page can load its own files and call the emulator. Data that it shows cannot run as a script or open a frame. */
const pageHeaders: ResponseHeaders = {
  ...isolationHeaders,
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
};

/** For assets: their names contain a hash of their content. */
const IMMUTABLE = 'private, max-age=31536000, immutable';

interface DashboardOptions {
  readonly internalErrorLog: InternalErrorLog;
  readonly nextRequestId: () => string;
  readonly guard: RequestGuard;
  readonly serveAllowed: ServeAllowed;
  /** Folder of the built dashboard. Default: the one of this package. */
  readonly folder: string | undefined;
}

export function mountDashboard(app: H3, options: DashboardOptions): void {
  const { internalErrorLog, nextRequestId, guard, serveAllowed, folder } = options;
  let files: ReadonlyMap<string, DashboardFile> | null = null;
  /** Reads all files when it is first called. Throws `not_found` without a file, or if the dashboard has not been built. */
  const getFile = (path: string) => {
    files ??= readFiles(folder);
    const file = files.get(path);
    if (file === undefined) throw new SvcError('not_found', `The dashboard has no file ${path}.`);
    return file;
  };
  const openPage = (event: H3Event, requestId: string) => {
    const cookie = guard.openPage(event);
    if (cookie !== null) return redirectWithCookie(event.url, cookie, requestId);
    return fileResponse(getFile('/'), 'no-cache', requestId);
  };
  for (const method of ['GET', 'HEAD'] as const) {
    app.on(method, '/', (event) =>
      withErrorBoundary(internalErrorLog, nextRequestId(), (id) => openPage(event, id), errorPage),
    );
    app.on(method, '/assets/**', (event) =>
      serveAllowed(event, (id) => fileResponse(getFile(event.url.pathname), IMMUTABLE, id)),
    );
  }
}

/** Redirects to the page without the token, which must not stay in the address bar and the history. */
function redirectWithCookie({ searchParams }: URL, cookie: string, requestId: string): HTTPResponse {
  const query = new URLSearchParams(searchParams);
  query.delete('token');
  return new HTTPResponse(null, {
    status: 303,
    headers: {
      ...pageHeaders,
      'Request-Id': requestId,
      Location: query.size === 0 ? './' : `./?${query}`,
      'Set-Cookie': cookie,
      'Cache-Control': 'no-store',
    },
  });
}

/** Files are sent uncompressed: the page runs on the same machine or in the same network. */
function fileResponse({ bytes, type }: DashboardFile, cacheControl: string, requestId: string) {
  return new HTTPResponse(bytes, {
    headers: {
      ...pageHeaders,
      'Request-Id': requestId,
      'Cache-Control': cacheControl,
      'Content-Type': type,
      'Content-Length': String(bytes.length),
    },
  });
}

/** The page that a browser shows after an error: what happened, and the next step. */
function errorPage({ status, message, hint, headers }: SvcError, requestId: string): HTTPResponse {
  const text = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>svc emulator</title>
<h1>svc emulator</h1>
<p>${escapeHtml(message)}</p>
<p>${escapeHtml(hint ? formatHint(hint) : '')}</p>
</html>
`;
  return new HTTPResponse(text, {
    status,
    headers: {
      ...pageHeaders,
      'Request-Id': requestId,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      ...headers,
    },
  });
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

type DashboardFile = ReturnType<typeof createFile>;

function readFiles(folder: string | undefined): ReadonlyMap<string, DashboardFile> {
  const source = folder === undefined ? findPackageFiles('dist/dashboard') : openFolder(folder);
  const page = source.read('index.html');
  if (page === null) {
    throw new SvcError('not_found', 'The dashboard has not been built.', {
      hint: { text: 'Build it in the folder of svc, then reload this page', command: 'npm run build' },
    });
  }
  const files = new Map([['/', createFile(page, '.html')]]);
  for (const path of source.list().filter((name) => name.startsWith('assets/'))) {
    const bytes = source.read(path);
    if (bytes !== null) files.set(`/${path}`, createFile(bytes, extname(path)));
  }
  return files;
}

function createFile(bytes: Buffer, extension: string) {
  const type = contentTypes[extension] ?? 'application/octet-stream';
  return { type, bytes: new Uint8Array(bytes) };
}
