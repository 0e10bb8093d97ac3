/** `svc gaps record`: sends harmless requests to a service, and writes them as HAR without keys. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type HttpResponse, sendAnyRequest } from '../../client/http-request.ts';
import { EventType } from '../../contract/fields.ts';
import { keyPrefixes, maskSecret } from '../../domain/credentials.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { isJson } from '../../domain/json.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { createSecretRemover, REMOVED } from '../../domain/secret-remover.ts';
import { SvcError } from '../../errors.ts';
import { VERSION } from '../../package-info.ts';
import {
  type ProbeRequest,
  type ProbeResponse,
  probeService,
  RESTRICTED_SCOPES,
} from '../../parity/probe-service.ts';
import { sleep } from '../../timers.ts';
import { wholeNumberFrom } from '../../validation/value-schemas.ts';
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

const UNKNOWN_KEY = '0'.repeat(32);
const MAX_PAUSE_MS = 60 * SECOND_MS;
/** A longer body is not written: it is only whitespace. */
const MAX_WRITTEN_BYTES = 16 * 1024;

const DETAILS = `
The command sends one request at a time. It creates about five events and deletes nothing, because the API cannot delete.
Use a key for a workspace without real data. Live keys are refused. The file contains no keys or secrets.`;

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
      .option(
        '--delay <duration>',
        'Pause between two requests',
        durationParser(wholeNumberFrom(1, MAX_PAUSE_MS)),
        500,
      )
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
    const question = `Send about 50 requests to ${baseUrl} with ${maskSecret(apiKey)}? They create about five events.`;
    await confirmOrFail(context, question, options.yes);
    const keys = {
      default: apiKey,
      restricted: restrictedKey,
      none: null,
      wrong: keyPrefixes.sandbox + UNKNOWN_KEY,
      live: keyPrefixes.production + UNKNOWN_KEY,
    };
    const ca = values.ca === null ? undefined : await readCaFile(values.ca, context.cwd);
    const recorder = new Recorder({ options, context, ca, keys });
    const probing = probeService((request) => recorder.send(request), {
      type: options.type,
      runId: randomBytes(6).toString('hex'),
      hasRestrictedKey: restrictedKey !== null,
      endpointUrl: options.webhookUrl ?? null,
    });
    try {
      await withProgress(context, async () => `Recorded ${recorder.count}…`, probing);
    } finally {
      // An interrupted recording is useful too, and its requests have created events.
      await recorder.save();
    }
    printHint({ text: 'Compare the recording', command: `svc gaps check ${options.save}` }, context.io);
  },
};

/** @throws SvcError `usage` without a key, and for any key that is not a test key */
function requireTestKey(key: string | null, option: string): string {
  if (key?.startsWith(keyPrefixes.sandbox)) return key;
  const problem = key === null ? `Missing option: ${option}` : `The key of ${option} is not a test key.`;
  throw new SvcError('usage', problem, { hint: `Pass a key that starts with ${keyPrefixes.sandbox}` });
}

interface Setup {
  readonly options: RecordOptions;
  readonly context: Context;
  readonly ca: string | undefined;
  readonly keys: Readonly<Record<ProbeRequest['key'], string | null>>;
}

class Recorder {
  readonly #setup: Setup;
  readonly #entries: object[] = [];
  readonly #created: string[] = [];
  readonly #secrets: string[];

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#secrets = Object.values(setup.keys).filter((key) => key !== null);
  }

  get count(): string {
    return formatCount(this.#entries.length, 'request');
  }

  async save(): Promise<void> {
    if (this.#entries.length === 0) return;
    const { options, context } = this.#setup;
    const creator = { name: 'svc-emulator', version: VERSION };
    const har = JSON.stringify({ log: { version: '1.2', creator, entries: this.#entries } });
    const path = resolve(context.cwd, options.save);
    await writeText(path, `${createSecretRemover(this.#secrets, []).fromText(har)}\n`);
    const created = this.#created;
    context.print(
      { path, requests: this.#entries.length, created },
      () => `Saved ${options.save} with ${this.count}.\nCreated ${created.join(', ') || 'nothing'}.`,
    );
  }

  /** Sends a request again after a 429, when the service allows it. */
  async send(request: ProbeRequest): Promise<ProbeResponse> {
    const { options, context } = this.#setup;
    const { signal } = context;
    if (this.#entries.length > 0) await sleep(options.delay, signal);
    for (let attempt = 1; ; attempt++) {
      if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
      const { status, text, headers } = await this.#record(request);
      if (status !== 429 || attempt === 3) return this.#toProbeResponse(request, status, text);
      const seconds = Number(headers['retry-after']) || 1;
      await sleep(Math.min(MAX_PAUSE_MS, seconds * SECOND_MS), signal);
    }
  }

  async #record({ method, path, key, headers, body }: ProbeRequest): Promise<HttpResponse> {
    const { options, context, ca, keys } = this.#setup;
    const { now, signal } = context;
    const url = new URL(path.replace(/^\//, ''), `${options['base-url'].replace(/\/$/, '')}/`);
    const apiKey = keys[key];
    const sent = {
      accept: 'application/json',
      ...headers,
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    };
    const [at, startedAt] = [now(), performance.now()];
    const message = { method: method as 'GET', url, headers: sent, ca, signal };
    const response = await sendAnyRequest({ ...message, ...(body !== null && { body }) });
    const time = Math.round(performance.now() - startedAt);
    if (this.#entries.length === 0 && response.status === 401) {
      throw new SvcError('unauthenticated', `${url.origin} rejected the API key.`, {
        hint: 'Pass another key with --api-key.',
      });
    }
    const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
    const isWritten = body !== null && body.length <= MAX_WRITTEN_BYTES;
    const { fromHeaders } = createSecretRemover(this.#secrets, []);
    this.#entries.push({
      startedDateTime: new Date(at).toISOString(),
      time,
      request: {
        ...{ ...common, method, url: url.href, queryString: [], bodySize: Buffer.byteLength(body ?? '') },
        // Keeps the class of the key.
        headers: toPairs({ ...sent, ...(apiKey && { authorization: hideKey(apiKey) }) }),
        ...(isWritten && { postData: { mimeType: headers['Content-Type'], text: body } }),
      },
      response: {
        ...{ ...common, status: response.status, statusText: '', redirectURL: '', bodySize: -1 },
        // Only cookies are lists, and they are removed.
        headers: toPairs(fromHeaders(response.headers as Record<string, string>)),
        content: { size: -1, mimeType: response.headers['content-type'] ?? '', text: response.text },
      },
      cache: {},
      timings: { send: 0, wait: time, receive: 0 },
      ...(key === 'restricted' && { _svc: { key_scopes: RESTRICTED_SCOPES } }),
    });
    return response;
  }

  #toProbeResponse(request: ProbeRequest, status: number, text: string): ProbeResponse {
    const json = isJson(text) ? Object(JSON.parse(text)) : {};
    if (typeof json.secret === 'string') this.#secrets.push(json.secret);
    const isNew = request.method === 'POST' && status === 201 && !this.#created.includes(json.id);
    if (isNew && typeof json.id === 'string') this.#created.push(json.id);
    return { status, json };
  }
}

function hideKey(apiKey: string): string {
  return `Bearer ${apiKey.replace(/(svc_(?:test|live)_).*/, `$1${REMOVED}`)}`;
}

function toPairs(headers: Readonly<Record<string, string>>) {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
