/** Builds the HTTP app: both APIs, the dashboard, the OpenAPI documents and the health check. */
import { H3 } from 'h3';
import { type InternalErrorLog, SvcError } from '../domain/errors.ts';
import type { Sandbox } from '../emulator/service/sandbox.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import { mountControlApi } from './control-api.ts';
import { mountDashboard } from './dashboard.ts';
import { toEmulatorUrls } from './listen-options.ts';
import { mountPublicApi } from './public-api.ts';
import { createRequestGuard, type RequestGuardOptions, type ServeAllowed } from './request-guard.ts';
import {
  controlErrorResponse,
  controlResponse,
  errorResponse,
  jsonResponse,
  withErrorBoundary,
} from './responses.ts';

interface AppOptions extends RequestGuardOptions {
  readonly sandbox: Sandbox;
  readonly control: ControlPlane;
  /** Folder of the built dashboard. Default: the one of this package. */
  readonly dashboardFolder?: string | undefined;
  readonly internalErrorLog: InternalErrorLog;
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

/** They contain much text, which a start does not need. */
const loadDocuments = () => import('../operations/openapi/openapi-document.ts');

export function createApp(options: AppOptions): H3 {
  const { sandbox, control, publicUrl, controlToken, internalErrorLog, closing } = options;
  const getUrls = (origin: string) => toEmulatorUrls(origin, publicUrl, controlToken);
  const nextRequestId = () => sandbox.generator.ids('control requests').next('request', sandbox.timestamp());
  const app = new H3({ silent: true });
  const guard = createRequestGuard(options);
  const serveAllowed: ServeAllowed = (event, respond) => {
    const respondIfAllowed = (id: string) => {
      guard.assertAllowed(event);
      return respond(id);
    };
    return withErrorBoundary(internalErrorLog, nextRequestId(), respondIfAllowed, controlErrorResponse);
  };
  mountPublicApi(app, { sandbox, internalErrorLog, closing, guard });
  mountControlApi(app, {
    serveAllowed,
    control,
    store: sandbox.store,
    closing,
    async createDocument(origin) {
      const { createControlDocument } = await loadDocuments();
      return JSON.stringify(createControlDocument(getUrls(origin).controlUrl));
    },
  });
  mountDashboard(app, {
    guard,
    serveAllowed,
    internalErrorLog,
    nextRequestId,
    folder: options.dashboardFolder,
  });
  app.get('/openapi.json', (event) =>
    serveAllowed(event, async (requestId) => {
      const { createPublicDocument } = await loadDocuments();
      const { rules, operations } = sandbox;
      const serverUrl = getUrls(event.url.origin).baseUrl;
      const document = createPublicDocument({ serverUrl, operations, rules });
      return controlResponse(200, JSON.stringify(document), requestId);
    }),
  );
  // Without the guard: a container's health check has no token, and these responses say only that the emulator runs.
  app.get('/healthz', () => jsonResponse(200, '{"ok":true}', nextRequestId()));
  app.all('/**', (event) => {
    const requestId = nextRequestId();
    const error = new SvcError('not_found', `${event.url.pathname} does not exist. The API is at /v1.`);
    return errorResponse(error, requestId);
  });
  return app;
}
