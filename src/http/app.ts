/** The whole of what the emulator answers to. */
import { H3, type HTTPError, type HTTPResponse } from 'h3';
import { createControlDocument, createPublicDocument } from '../contract/openapi-document.ts';
import type { ControlHandlers, ControlPlane } from '../control/control-plane.ts';
import { SvcError } from '../errors.ts';
import { documentEventTypes } from '../fixtures/document-event-types.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type ApiHostGuardOptions, createApiHostGuard } from './api-host-guard.ts';
import { mountControlApi } from './control-api.ts';
import { createControlAuth, noControlAuth } from './control-auth.ts';
import { createControlGuard } from './control-guard.ts';
import { mountDashboard } from './dashboard.ts';
import { createDashboardFiles } from './dashboard-files.ts';
import type { EmulatorUrls } from './emulator-urls.ts';
import type { InternalErrorLog } from './error-boundary.ts';
import { mountPublicApi } from './public-api.ts';
import { errorResponse, jsonResponse, toSvcError } from './responses.ts';

export interface AppOptions extends Pick<ApiHostGuardOptions, 'allowHost'> {
  readonly sandbox: Sandbox;
  readonly control: ControlPlane;
  readonly controlHandlers: ControlHandlers;
  /** The host that the emulator was told to listen on. */
  readonly host: string;
  /** The address that it was told to be reached at; null without one. */
  readonly publicUrl: string | null;
  /** The address of the proxy or tunnel that leads here by now; null without one. */
  readonly getPublicUrl: () => string | null;
  /** What it asks of those who come to the control plane and the dashboard; null for nothing. */
  readonly controlToken: string | null;
  /** The built dashboard; that of this package when left out. */
  readonly dashboardFolder?: string | undefined;
  /** Where its parts are reached, for a request that came to `origin`. */
  readonly getUrls: (origin: string) => EmulatorUrls;
  /** Where the event types of the OpenAPI document are found, later folders overriding earlier ones. */
  readonly fixtureFolders: readonly string[];
  readonly internalErrorLog: InternalErrorLog;
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

export function createApp(options: AppOptions): H3 {
  const { sandbox, control, host, publicUrl, controlToken, dashboardFolder, internalErrorLog, closing } =
    options;
  const nextRequestId = () => sandbox.generator.ids('control requests').next('request', sandbox.timestamp());
  const app = new H3({
    silent: true,
    onError: (error) => handleRouterError(error, nextRequestId(), internalErrorLog),
  });
  const assertHost = createApiHostGuard({
    host,
    allowHost: options.allowHost,
    publicUrl: options.getPublicUrl,
  });
  mountPublicApi(app, { sandbox, internalErrorLog, closing, assertHost });
  const auth =
    controlToken === null ? noControlAuth : createControlAuth(controlToken, publicUrl, sandbox.wall);
  const guarded = {
    guard: createControlGuard(host, publicUrl, auth),
    internalErrorLog,
    nextRequestId,
  };
  mountControlApi(app, {
    ...guarded,
    handlers: options.controlHandlers,
    control,
    store: sandbox.store,
    closing,
    describe: (origin) => createDocumentText('control', origin, options),
  });
  mountDashboard(app, { ...guarded, auth, files: createDashboardFiles(dashboardFolder) });
  app.get('/openapi.json', async ({ url }) =>
    jsonResponse(200, createDocumentText('public', url.origin, options), nextRequestId()),
  );
  app.get('/healthz', () => jsonResponse(200, '{"ok":true}', nextRequestId()));
  app.all('/**', (event) => {
    const error = new SvcError('not_found', `${event.url.pathname} does not exist. The API is at /v1.`);
    return errorResponse(error, nextRequestId());
  });
  return app;
}

/** What the router itself refuses, a path or a host that it cannot read, and faults of what is mounted here. */
function handleRouterError(
  error: HTTPError,
  requestId: string,
  internalErrorLog: InternalErrorLog,
): HTTPResponse {
  const { cause = error } = error;
  if (error.status === 400 || (cause as NodeJS.ErrnoException).code === 'ERR_INVALID_URL') {
    const unreadable = new SvcError('invalid_request', 'The path or the Host of the request cannot be read.');
    return errorResponse(unreadable, requestId);
  }
  internalErrorLog.report(requestId, cause);
  return errorResponse(toSvcError(cause), requestId);
}

/** The OpenAPI document of one of the two APIs, as JSON, for a request that came to `origin`. */
function createDocumentText(
  api: 'public' | 'control',
  origin: string,
  { sandbox, getUrls, fixtureFolders }: AppOptions,
): string {
  const { baseUrl, controlUrl } = getUrls(origin);
  const { rules, operations } = sandbox;
  const document =
    api === 'control'
      ? createControlDocument(controlUrl)
      : createPublicDocument({
          serverUrl: baseUrl,
          operations,
          rules,
          eventTypes: documentEventTypes(fixtureFolders),
        });
  return JSON.stringify(document);
}
