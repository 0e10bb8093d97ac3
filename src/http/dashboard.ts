/** Serves the dashboard: a page at `/` and its files. It requires the same host, origin and token as the control plane. */
import { type H3, type H3Event, HTTPResponse } from 'h3';
import type { SvcError } from '../errors.ts';
import type { ControlAuth } from './control-auth.ts';
import type { ControlGuard } from './control-guard.ts';
import type { DashboardFile, DashboardFiles } from './dashboard-files.ts';
import { type ErrorBoundaryOptions, withErrorBoundary } from './error-boundary.ts';
import { controlErrorResponse, isolationHeaders, type ResponseHeaders } from './responses.ts';

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

export interface DashboardOptions extends ErrorBoundaryOptions {
  readonly nextRequestId: () => string;
  readonly guard: ControlGuard;
  readonly auth: ControlAuth;
  readonly files: DashboardFiles;
}

export function mountDashboard(app: H3, options: DashboardOptions): void {
  const { nextRequestId, guard, auth, files } = options;
  const openPage = (event: H3Event, requestId: string) => {
    guard.assertCanOpenPage(event);
    const cookie = auth.createCookie(event);
    if (cookie !== null) return redirectWithCookie(cookie, requestId);
    auth.assertAuthorized(event);
    return fileResponse(files.get('/'), event, 'no-cache', requestId);
  };
  const loadAsset = (event: H3Event, requestId: string) => {
    guard.assertAllowed(event);
    return fileResponse(files.get(event.url.pathname), event, IMMUTABLE, requestId);
  };
  for (const method of ['GET', 'HEAD'] as const) {
    app.on(method, '/', (event) => {
      const id = nextRequestId();
      return withErrorBoundary(options, id, () => openPage(event, id), errorPage);
    });
    app.on(method, '/assets/**', (event) => {
      const id = nextRequestId();
      return withErrorBoundary(options, id, () => loadAsset(event, id), controlErrorResponse);
    });
  }
}

/** Redirects to the page without the token, which must not stay in the address bar and the history. */
function redirectWithCookie(cookie: string, requestId: string): HTTPResponse {
  return new HTTPResponse(null, {
    status: 303,
    headers: {
      ...pageHeaders,
      'Request-Id': requestId,
      Location: './',
      'Set-Cookie': cookie,
      'Cache-Control': 'no-store',
    },
  });
}

function fileResponse(file: DashboardFile, { req }: H3Event, cacheControl: string, requestId: string) {
  const { bytes, coding, etag } = file.encodeFor(req.headers.get('accept-encoding') ?? '');
  const headers = {
    ...pageHeaders,
    'Request-Id': requestId,
    'Cache-Control': cacheControl,
    ETag: etag,
    Vary: 'Accept-Encoding',
  };
  if (matchesEtag(etag, req.headers.get('if-none-match')))
    return new HTTPResponse(null, { status: 304, headers });
  return new HTTPResponse(bytes, {
    headers: {
      ...headers,
      'Content-Type': file.type,
      'Content-Length': String(bytes.length),
      ...(coding !== 'identity' && { 'Content-Encoding': coding }),
    },
  });
}

function matchesEtag(etag: string, ifNoneMatch: string | null): boolean {
  const etags = ifNoneMatch?.split(',').map((value) => value.trim().replace(/^W\//, '')) ?? [];
  return etags.includes(etag) || etags.includes('*');
}

/** The page that a browser shows after an error: what happened, and the next step. */
function errorPage({ status, message, hint = '', headers }: SvcError, requestId: string): HTTPResponse {
  const text = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>svc emulator</title>
<h1>svc emulator</h1>
<p>${escapeHtml(message)}</p>
<p>${escapeHtml(hint)}</p>
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

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
