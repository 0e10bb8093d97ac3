/** An emulator for one test: in memory, on a free port, with a frozen clock unless told otherwise. */
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator.ts';
import type { Overrides } from '../../src/profile/answer-gaps.ts';
import { resolveRules } from '../../src/profile/resolve.ts';
import type { ProfileName } from '../../src/profile/rules.ts';

export interface TestEmulatorOptions extends Partial<EmulatorOptions> {
  readonly profile?: ProfileName;
  readonly overrides?: Overrides;
}

export interface TestEmulator extends Emulator, AsyncDisposable {
  /** Sends a request to the API with the default key. A body that is not text is sent as JSON. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, whatever shape it has; null where it is no JSON object. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
  readonly json: any;
}

export async function startTestEmulator(options: TestEmulatorOptions = {}): Promise<TestEmulator> {
  const { profile = 'relaxed', overrides = {}, environment = 'sandbox', ...rest } = options;
  const rules = resolveRules(profile, overrides, environment);
  const emulator = await startEmulator({
    ...{ port: 0, host: '127.0.0.1', db: ':memory:', clockRate: 0, environment, rules },
    ...rest,
  });
  const { base_url, api_key } = emulator.status();
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
            ? (body ?? null)
            : JSON.stringify(body),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: text.startsWith('{') ? JSON.parse(text) : null,
      };
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}
