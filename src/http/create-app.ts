/** Builds the HTTP app: both APIs, the dashboard, the OpenAPI documents and the health check. */
import { H3 } from 'h3';
import type { ControlPlane } from '../contract/control-plane.ts';
import { type InternalErrorLog, SvcError } from '../errors.ts';
import { documentEventTypes } from '../fixtures/document-event-types.ts';
import { connectInProcess } from '../mcp/connected-emulator.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type ApiHostGuardOptions, createApiHostGuard } from './api-host-guard.ts';
import { mountControlApi } from './control-api.ts';
import { createControlAuth, noControlAuth } from './control-auth.ts';
import { createControlGuard } from './control-guard.ts';
import { mountDashboard } from './dashboard.ts';
import { toEmulatorUrls } from './listen-options.ts';
import { mountMcpEndpoint } from './mcp-endpoint.ts';
import { mountPublicApi } from './public-api.ts';
import { sendInProcess } from './request-faults.ts';
import { errorResponse, jsonResponse, withErrorBoundary } from './responses.ts';

interface AppOptions extends Pick<ApiHostGuardOptions, 'allowHost'> {
  readonly sandbox: Sandbox;
  readonly control: ControlPlane;
  /** The `host` option of the emulator. */
  readonly host: string;
  /** URL of the tunnel or proxy; null without one. */
  readonly publicUrl: string | null;
  /** Token that the control plane and the dashboard require; null for none. */
  readonly controlToken: string | null;
  /** Folder of the built dashboard. Default: the one of this package. */
  readonly dashboardFolder?: string | undefined;
  /** Folder with a `fixtures` folder of the project. */
  readonly projectFolder: string;
  /** Folders with the event types of the OpenAPI document. Later folders override earlier ones. */
  readonly fixtureFolders: readonly string[];
  readonly internalErrorLog: InternalErrorLog;
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

/** They contain much text, which a start does not need. */
const loadDocuments = () => import('../contract/openapi/openapi-document.ts');

export function createApp(options: AppOptions): H3 {
  const { sandbox, control, host, publicUrl, controlToken, internalErrorLog, closing } = options;
  const getUrls = (origin: string) => toEmulatorUrls(origin, publicUrl, controlToken);
  const nextRequestId = () => sandbox.generator.ids('control requests').next('request', sandbox.timestamp());
  const app = new H3({ silent: true });
  const assertHost = createApiHostGuard({
    host,
    allowHost: options.allowHost,
    publicUrl,
  });
  mountPublicApi(app, { sandbox, internalErrorLog, closing, assertHost });
  const auth =
    controlToken === null ? noControlAuth : createControlAuth(controlToken, publicUrl, sandbox.wall);
  const controlOptions = {
    guard: createControlGuard(host, publicUrl, auth),
    internalErrorLog,
    nextRequestId,
  };
  mountControlApi(app, {
    ...controlOptions,
    control,
    store: sandbox.store,
    closing,
    async createDocument(origin) {
      const { createControlDocument } = await loadDocuments();
      return JSON.stringify(createControlDocument(getUrls(origin).controlUrl));
    },
  });
  mountMcpEndpoint(app, {
    ...controlOptions,
    closing,
    projectFolder: options.projectFolder,
    emulator: connectInProcess({
      control,
      rules: sandbox.rules,
      now: sandbox.wall.now,
      send: (request) => sendInProcess(app, request),
    }),
  });
  mountDashboard(app, { ...controlOptions, auth, folder: options.dashboardFolder });
  app.get('/openapi.json', ({ url }) => {
    const respond = async (requestId: string) => {
      const { createPublicDocument } = await loadDocuments();
      const { rules, operations } = sandbox;
      const eventTypes = documentEventTypes(options.fixtureFolders);
      const serverUrl = getUrls(url.origin).baseUrl;
      const document = createPublicDocument({ serverUrl, operations, rules, eventTypes });
      return jsonResponse(200, JSON.stringify(document), requestId);
    };
    return withErrorBoundary(internalErrorLog, nextRequestId(), respond, errorResponse);
  });
  app.get('/healthz', () => jsonResponse(200, '{"ok":true}', nextRequestId()));
  app.all('/**', ({ url }) => {
    const error = new SvcError('not_found', `${url.pathname} does not exist. The API is at /v1.`);
    return errorResponse(error, nextRequestId());
  });
  return app;
}
