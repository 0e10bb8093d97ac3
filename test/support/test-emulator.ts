/** An emulator for one test: in memory, on a free port and with a frozen clock by default. */

import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator.ts';
import type { ProfileName } from '../../src/profile/gap.ts';
import { type Overrides, resolveRules } from '../../src/profile/resolve-rules.ts';
import { type CustomSender, getSender, type SenderName } from '../../src/profile/senders.ts';
import type { SignatureScheme } from '../../src/signature/scheme.ts';
import type { SchemeName } from '../../src/signature/schemes.ts';
import { createResponseCheck, type ResponseCheck } from './response-check.ts';

export interface TestEmulatorOptions extends Partial<EmulatorOptions> {
  readonly profile?: ProfileName;
  readonly overrides?: Overrides;
  /** Delivers envelopes that are signed with this scheme. */
  readonly scheme?: SchemeName | SignatureScheme;
  readonly sender?: SenderName | CustomSender;
}

export interface TestEmulator extends Emulator, AsyncDisposable {
  /**
   * Sends a request to the API with the default key and checks the response against `/openapi.json`. A body that is
   * neither text nor bytes is sent as JSON.
   */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; null if it is not a JSON object. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert what they expect.
  readonly json: any;
}

export async function startTestEmulator(options: TestEmulatorOptions = {}): Promise<TestEmulator> {
  const { profile = 'relaxed', overrides = {}, environment = 'sandbox', scheme, ...rest } = options;
  const { sender = scheme === undefined ? 'svc' : { scheme, body: 'envelope' }, ...started } = rest;
  const rules = resolveRules(profile, overrides, environment, getSender(sender));
  const emulator = await startEmulator({
    port: 0,
    host: '127.0.0.1',
    db: ':memory:',
    clock: { frozen: true },
    environment,
    rules,
    ...started,
  });
  const { base_url, api_key } = emulator.status();
  let check: ResponseCheck | undefined;
  return {
    ...emulator,
    api: async (method, path, body, headers = {}) => {
      const response = await fetch(base_url + path, {
        method,
        headers: {
          authorization: `Bearer ${api_key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body:
          body === undefined || typeof body === 'string' || body instanceof Uint8Array
            ? ((body as string | Uint8Array<ArrayBuffer> | undefined) ?? null)
            : JSON.stringify(body),
      });
      const { status, headers: responseHeaders } = response;
      const text = await response.text();
      check ??= await getCheck(emulator);
      check({ method, path, status, headers: responseHeaders, text });
      return {
        status,
        headers: responseHeaders,
        text,
        json: text.startsWith('{') ? JSON.parse(text) : null,
      };
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}

const checks = new Map<string, ResponseCheck>();

/** The response check for the document of an emulator, cached for all with the same document. */
async function getCheck(emulator: Emulator): Promise<ResponseCheck> {
  const { url, control_token } = emulator.status();
  const headers = { authorization: `Bearer ${control_token}` };
  const response = await fetch(`${url}/openapi.json`, { headers });
  // The documents of two emulators can differ only in the URL.
  const text = (await response.text()).replace(url, '');
  const check = checks.get(text) ?? createResponseCheck(JSON.parse(text));
  checks.set(text, check);
  return check;
}
