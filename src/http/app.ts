/** The whole of what the emulator answers to. */
import { H3, type H3Event, type HTTPError, HTTPResponse } from 'h3';
import { controlOperations } from '../contract/control-api.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { SvcError } from '../errors.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Addresses } from './addresses.ts';
import { mountControlApi } from './control-api.ts';
import type { FaultLog } from './fault-log.ts';
import { createGuard } from './guard.ts';
import { landingPage } from './landing-page.ts';
import { mountPublicApi } from './public-api.ts';
import { errorResponse, jsonResponse, toSvcError } from './respond.ts';

export interface AppOptions {
  readonly sandbox: Sandbox;
  readonly control: ControlPlane;
  /** The host that the emulator was told to listen on. */
  readonly host: string;
  /** The address that it was told to be reached at; null without one. */
  readonly publicUrl: string | null;
  /** Where its parts are reached, for a request that came to `origin`. */
  readonly addressesAt: (origin: string) => Addresses;
  readonly faultLog: FaultLog;
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

export function createApp(options: AppOptions): H3 {
  const { sandbox, control, host, publicUrl, addressesAt, faultLog, closing } = options;
  const nextRequestId = () => sandbox.mint.ids('control requests').next('request', sandbox.stamp());
  const app = new H3({ silent: true, onError: (error) => answerFault(error, nextRequestId(), faultLog) });
  mountPublicApi(app, sandbox, faultLog, closing);
  mountControlApi(app, {
    control,
    guard: createGuard(host, publicUrl),
    faultLog,
    nextRequestId,
    store: sandbox.store,
    closing,
  });
  mountDocuments(app, options, nextRequestId);
  app.get('/healthz', () => jsonResponse(200, '{"ok":true}', nextRequestId()));
  app.get('/', (event) => page(landingPage(addressesAt(event.url.origin)), nextRequestId()));
  app.all('/**', (event) => {
    const error = new SvcError('not_found', `There is nothing at ${event.url.pathname}; the API is at /v1.`);
    return errorResponse(error, nextRequestId());
  });
  return app;
}

/** What the router itself refuses, a path or a host that it cannot read, and faults of what is mounted here. */
function answerFault(error: HTTPError, requestId: string, faultLog: FaultLog): HTTPResponse {
  const { cause = error } = error;
  if (error.status === 400 || (cause as NodeJS.ErrnoException).code === 'ERR_INVALID_URL') {
    const unreadable = new SvcError('invalid_request', 'The path or the Host of the request cannot be read.');
    return errorResponse(unreadable, requestId);
  }
  faultLog.report(requestId, cause);
  return errorResponse(toSvcError(cause), requestId);
}

function mountDocuments(app: H3, { sandbox, addressesAt }: AppOptions, nextRequestId: () => string): void {
  const answer = async (event: H3Event, rest: 'public' | 'control') => {
    const { createOpenApiDocument } = await import('../contract/openapi.ts');
    const { baseUrl, controlUrl } = addressesAt(event.url.origin);
    const document = createOpenApiDocument({
      ...DOCUMENTS[rest],
      ...operationsOf(rest),
      serverUrl: rest === 'public' ? baseUrl : controlUrl,
    });
    return jsonResponse(200, JSON.stringify(document), nextRequestId());
  };
  const operationsOf = (which: 'public' | 'control') =>
    which === 'public' ? { operations: sandbox.operations } : { operations: controlOperations };
  app.get('/openapi.json', (event) => answer(event, 'public'));
  app.get('/_svc/openapi.json', (event) => answer(event, 'control'));
}

const DOCUMENTS = {
  public: {
    title: 'Workspace Events and Webhooks API',
    description:
      'The described service, as the emulator serves it at /v1 under the profile that it runs with.',
    authenticated: true,
  },
  control: {
    title: 'svc control plane',
    description:
      'What the commands of svc do beyond the described service. The live stream is at /_svc/events.',
    authenticated: false,
  },
} as const;

function page(html: string, requestId: string): HTTPResponse {
  return new HTTPResponse(html, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'Request-Id': requestId,
    },
  });
}
