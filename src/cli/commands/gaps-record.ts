/** `svc gaps record`: sends harmless requests to a service, and writes them as HAR without keys. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type HttpResponse, sendAnyRequest } from '../../client/http-request.ts';
import { EventType } from '../../contract/fields.ts';
import { keyPrefixes, maskSecret } from '../../domain/credentials.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { createSecretRemover, REMOVED } from '../../domain/secret-remover.ts';
import { SvcError } from '../../errors.ts';
import { VERSION } from '../../package-info.ts';
import {
  findCreatedId,
  type ProbeRequest,
  type ProbeResponse,
  probeService,
  RESTRICTED_SCOPES,
} from '../../parity/probe-service.ts';
import { sleep } from '../../timers.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { readCaFile, writeText } from '../file-access.ts';
import { durationParser, parseWebhookUrl, schemaParser, urlOption } from '../option-parsers.ts';
import { withProgress } from '../progress.ts';
import { confirmOrFail } from '../prompt.ts';
import { printHint } from '../report-error.ts';

interface RecordOptions {
  readonly 'base-url': string;
  readonly save: string;
  readonly type: string;
  readonly restrictedKey?: string;
  readonly webhookUrl?: string;
  readonly delay: number;
  readonly yes?: true;
}

/** About the number of requests, for the question. */
const REQUEST_COUNT = 50;
const MAX_PAUSE_MS = 60 * SECOND_MS;
/** A longer body is not written: it is only whitespace. */
const MAX_WRITTEN_BYTES = 16 * 1024;

const DETAILS = `
One request is sent at a time. They create about five events of the type. Nothing is deleted, because the API cannot do that.
Use a key for a workspace without real data. Live keys are refused, and the file contains no key and no secret.`;

export const record: CommandDefinition<RecordOptions> = {
  configure: (command) =>
    command
      .argument('<base-url>', 'Base address of the API, which ends in /v1', urlOption)
      .requiredOption('--save <file>', 'HAR file to write; an existing file is replaced')
      .option('--type <type>', 'Type of the events to create', schemaParser(EventType), 'svc.probed')
      .option(
        '--restricted-key <key>',
        'Test key with only the scope events:write, to see which scopes reads need',
      )
      .option(
        '--webhook-url <url>',
        'Also register up to four endpoints with this URL, which must be yours',
        parseWebhookUrl,
      )
      .option('--delay <duration>', 'Pause between two requests', durationParser(MAX_PAUSE_MS), 500)
      .option('-y, --yes', 'Start without asking for confirmation')
      .addHelpText('after', DETAILS),
  examples: [
    [
      'Record a sandbox',
      'gaps record https://sandbox.example.com/v1 --api-key svc_test_… --save sandbox.har',
    ],
    [
      'Record the emulator',
      'gaps record http://127.0.0.1:4777/v1 --api-key "$SVC_API_KEY" --save emulator.har --yes',
    ],
  ],
  async run(options, context) {
    const { values } = await context.resolveConfig();
    const { 'base-url': baseUrl, restrictedKey = null } = options;
    if (!new URL(baseUrl).pathname.replace(/\/$/, '').endsWith('/v1')) {
      throw new SvcError('usage', `${baseUrl} does not end in /v1.`, {
        hint: `Pass ${baseUrl.replace(/\/$/, '')}/v1`,
      });
    }
    const apiKey = requireTestKey(values.apiKey, '--api-key');
    if (restrictedKey !== null) requireTestKey(restrictedKey, '--restricted-key');
    const question = `Send about ${REQUEST_COUNT} requests to ${baseUrl} with ${maskSecret(apiKey)}? They create about five events.`;
    await confirmOrFail(context, question, options.yes);
    const ca = values.ca === null ? undefined : await readCaFile(values.ca, context.cwd);
    const recorder = new Recorder(options, { apiKey, restrictedKey, ca }, context);
    const path = resolve(context.cwd, options.save);
    try {
      await withProgress(
        context,
        async () => `Recorded ${formatCount(recorder.count, 'request')}…`,
        recorder.run(),
      );
    } finally {
      // An interrupted recording is also of use.
      if (recorder.count > 0) await writeText(path, recorder.toHar());
    }
    const { created, count } = recorder;
    context.print({ path, requests: count, created }, () =>
      [
        `Saved ${options.save} with ${formatCount(count, 'request')}.`,
        `Created ${created.join(', ') || 'nothing'}.`,
      ].join('\n'),
    );
    printHint({ text: 'Compare it', command: `svc gaps check ${options.save}` }, context.io);
  },
};

/** @throws SvcError `usage` without a key, and for any key that is not a test key */
function requireTestKey(key: string | null, option: string): string {
  if (key?.startsWith(keyPrefixes.sandbox)) return key;
  const problem = key === null ? `Missing option: ${option}` : `The key of ${option} is not a test key.`;
  throw new SvcError('usage', problem, { hint: `Pass a key that starts with ${keyPrefixes.sandbox}` });
}

interface Credentials {
  readonly apiKey: string;
  readonly restrictedKey: string | null;
  readonly ca: string | undefined;
}

class Recorder {
  readonly created: string[] = [];
  readonly #options: RecordOptions;
  readonly #credentials: Credentials;
  readonly #context: Context;
  readonly #entries: object[] = [];
  readonly #secrets: string[];

  constructor(options: RecordOptions, credentials: Credentials, context: Context) {
    this.#options = options;
    this.#credentials = credentials;
    this.#context = context;
    const { apiKey, restrictedKey } = credentials;
    this.#secrets = restrictedKey === null ? [apiKey] : [apiKey, restrictedKey];
  }

  get count(): number {
    return this.#entries.length;
  }

  run(): Promise<void> {
    return probeService((request) => this.#send(request), {
      type: this.#options.type,
      runId: randomBytes(6).toString('hex'),
      hasRestrictedKey: this.#credentials.restrictedKey !== null,
      endpointUrl: this.#options.webhookUrl ?? null,
    });
  }

  toHar(): string {
    const har = {
      log: { version: '1.2', creator: { name: 'svc-emulator', version: VERSION }, entries: this.#entries },
    };
    return `${createSecretRemover(this.#secrets, []).fromText(JSON.stringify(har))}\n`;
  }

  /** Sends a request again after a 429, when the service allows it. */
  async #send(request: ProbeRequest): Promise<ProbeResponse> {
    const { signal } = this.#context;
    if (this.count > 0) await sleep(this.#options.delay, signal);
    for (let attempt = 1; ; attempt++) {
      if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
      const response = await this.#record(request);
      if (response.status !== 429 || attempt === 3) return this.#toProbeResponse(request, response);
      await sleep(
        Math.min(MAX_PAUSE_MS, Number(response.headers['retry-after'] ?? 1) * SECOND_MS || SECOND_MS),
        signal,
      );
    }
  }

  async #record({ method, path, key, headers, body }: ProbeRequest): Promise<HttpResponse> {
    const { now, signal } = this.#context;
    const url = new URL(path.replace(/^\//, ''), `${this.#options['base-url'].replace(/\/$/, '')}/`);
    const authorization = this.#toAuthorization(key);
    const sent = { accept: 'application/json', ...headers, ...(authorization && { authorization }) };
    const [at, startedAt] = [now(), performance.now()];
    const request = { method: method as 'GET', url, headers: sent, ca: this.#credentials.ca, signal };
    const response = await sendAnyRequest({ ...request, ...(body !== null && { body }) });
    if (this.count === 0 && response.status === 401) {
      throw new SvcError('unauthenticated', `${url.origin} rejected the API key.`, {
        hint: 'Pass another key with --api-key.',
      });
    }
    this.#entries.push({
      startedDateTime: new Date(at).toISOString(),
      time: Math.round(performance.now() - startedAt),
      request: {
        ...{ method, url: url.href, httpVersion: 'HTTP/1.1', cookies: [], queryString: [], headersSize: -1 },
        headers: toPairs({ ...sent, ...(authorization && { authorization: hideKey(authorization) }) }),
        ...(body !== null &&
          body.length <= MAX_WRITTEN_BYTES && { postData: { mimeType: 'application/json', text: body } }),
        bodySize: Buffer.byteLength(body ?? ''),
      },
      response: {
        ...{
          status: response.status,
          statusText: '',
          httpVersion: 'HTTP/1.1',
          cookies: [],
          redirectURL: '',
          headersSize: -1,
        },
        headers: toPairs(createSecretRemover(this.#secrets, []).fromHeaders(toTexts(response.headers))),
        content: {
          size: response.text.length,
          mimeType: response.headers['content-type'] ?? '',
          text: response.text,
        },
        bodySize: -1,
      },
      cache: {},
      timings: { send: 0, wait: Math.round(performance.now() - startedAt), receive: 0 },
      ...(key === 'restricted' && { _svc: { key_scopes: RESTRICTED_SCOPES } }),
    });
    return response;
  }

  #toAuthorization(key: ProbeRequest['key']): string | undefined {
    const { apiKey, restrictedKey } = this.#credentials;
    const unknown = '0'.repeat(32);
    const keys = { default: apiKey, restricted: restrictedKey, none: null };
    const value =
      key === 'wrong' || key === 'live'
        ? keyPrefixes[key === 'live' ? 'production' : 'sandbox'] + unknown
        : keys[key];
    return value === null ? undefined : `Bearer ${value}`;
  }

  #toProbeResponse(request: ProbeRequest, { status, text }: HttpResponse): ProbeResponse {
    let json = {};
    try {
      json = Object(JSON.parse(text));
    } catch {}
    const response: ProbeResponse = { status, json };
    if (typeof response.json.secret === 'string') this.#secrets.push(response.json.secret);
    const id = findCreatedId(request, response);
    if (id !== null && !this.created.includes(id)) this.created.push(id);
    return response;
  }
}

/** Keeps the class of the key. */
function hideKey(authorization: string): string {
  return authorization.replace(/(svc_(?:test|live)_).*/, `$1${REMOVED}`);
}

function toTexts(headers: HttpResponse['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function toPairs(headers: Readonly<Record<string, string>>) {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
