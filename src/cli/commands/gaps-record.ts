/** `svc gaps record`: sends harmless requests to a service, and writes them as NDJSON without keys. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { sendRequest } from '../../client/http-client.ts';
import { keyPrefixes, maskSecret } from '../../domain/credentials.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import { tryParseJson } from '../../domain/json.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { createSecretRemover } from '../../domain/secret-remover.ts';
import { quoteForShell } from '../../domain/shell.ts';
import { sleep } from '../../platform/timers.ts';
import type { RequestLine } from '../../recordings/exchange.ts';
import {
  type ProbeRequest,
  probeService,
  RESTRICTED_SCOPES,
  UNKNOWN_KEY,
} from '../../recordings/probe-service.ts';
import { wholeNumberFrom } from '../../resources/value-schemas.ts';
import { EventType } from '../../resources/values.ts';
import type { CommandDefinition } from '../command.ts';
import { assertFileWritable, readCaFile, writeText } from '../file-access.ts';
import { durationParser, schemaParser, urlOption } from '../option-parsers.ts';
import { withProgress } from '../progress.ts';
import { confirmOrFail } from '../prompt.ts';
import { printHint } from '../report-error.ts';

interface RecordOptions {
  readonly 'base-url': string;
  readonly save: string;
  readonly type: string;
  readonly restrictedKey?: string;
  readonly delay: number;
  readonly yes?: true;
}

const MAX_PAUSE_MS = 60 * SECOND_MS;

const DETAILS = `
The command sends one request at a time, which takes about 20 seconds with the default --delay. It creates one event, or
up to 13 if the service accepts invalid requests, and deletes nothing, because the API cannot delete.
Use a key for a workspace without real data. Live keys are refused. The file contains no keys or secrets.`;

export const record: CommandDefinition<RecordOptions> = {
  configure: (command) =>
    command
      .argument('<base-url>', 'Base address of the API, which ends in /v1', urlOption)
      .requiredOption('--save <file>', 'NDJSON file to write; an existing file is replaced')
      .option('--type <type>', 'Type of the events to create', schemaParser(EventType), 'svc.probed')
      .option(
        '--restricted-key <key>',
        'Test key with only the scope events:write, to see which scopes reads need',
      )
      .addOption(
        new Option('--delay <duration>', 'Pause between two requests')
          .argParser(durationParser(wholeNumberFrom(1, MAX_PAUSE_MS)))
          .default(500, '500ms'),
      )
      .option('-y, --yes', 'Start without asking for confirmation')
      .addHelpText('after', DETAILS),
  examples: [
    [
      'Record a sandbox',
      'gaps record https://sandbox.example.com/v1 --api-key svc_test_… --save sandbox.ndjson',
    ],
    [
      'Record the emulator',
      'gaps record http://127.0.0.1:4777/v1 --api-key "$SVC_API_KEY" --save emulator.ndjson --yes',
    ],
  ],
  async run(options, context) {
    const { values } = await context.resolveConfig();
    const { restrictedKey = null, save } = options;
    const baseUrl = options['base-url'].replace(/\/$/, '');
    if (!baseUrl.endsWith('/v1')) {
      throw new SvcError('usage', `${baseUrl} does not end in /v1.`, { hint: `Pass ${baseUrl}/v1` });
    }
    const apiKey = requireTestKey(values.apiKey, '--api-key');
    if (restrictedKey !== null) requireTestKey(restrictedKey, '--restricted-key');
    const path = resolve(context.cwd, save);
    const question = `Send about 40 requests to ${baseUrl} with ${maskSecret(apiKey)}? They create 1 to 13 events.`;
    await confirmOrFail(context, question, options.yes);
    assertFileWritable(path);
    const ca = values.ca === null ? undefined : readCaFile(values.ca, context.cwd);
    const { io, now, signal } = context;
    const lines: RequestLine[] = [];
    const created = new Set<string>();

    const send = async (request: ProbeRequest) => {
      if (lines.length > 0) await sleep(options.delay, signal);
      if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
      const { method, headers, body = '' } = request;
      const url = new URL(request.path.replace(/^\//, ''), `${baseUrl}/`);
      const [startedAt, startedMs] = [new Date(now()), performance.now()];
      const response = await sendRequest({
        ...request,
        url,
        ca,
        signal,
        noResponseHint: 'Check the base address, and that the service is reachable from this machine.',
      });
      const { status, text } = response;
      const durationMs = Math.round(performance.now() - startedMs);
      if (lines.length === 0 && status === 401) {
        throw new SvcError('unauthenticated', `${url.origin} rejected the API key.`, {
          hint: 'Pass another key with --api-key.',
        });
      }
      // Only cookies are lists, and they are removed.
      const received = createSecretRemover([], []).fromHeaders(response.headers as Record<string, string>);
      const isRestricted = headers.authorization === `Bearer ${restrictedKey}`;
      lines.push({
        sent_at: startedAt.toISOString(),
        duration_ms: durationMs,
        response_status: status,
        request: { method, url: url.href, headers, body },
        response: { headers: received, body: text },
        ...(isRestricted && { key_scopes: [...RESTRICTED_SCOPES] }),
      });
      const json: Readonly<Record<string, unknown>> = Object(tryParseJson(text));
      if (method === 'POST' && status === 201) created.add(String(json.id));
      return { status, json };
    };

    const runId = randomBytes(6).toString('hex');
    const probing = probeService(send, options.type, runId, apiKey, restrictedKey);
    const countRequests = () => formatCount(lines.length, 'request');
    try {
      await withProgress(context, async () => `Recorded ${countRequests()}…`, probing);
    } finally {
      // An interrupted recording is useful too, and its requests have created events.
      if (lines.length > 0) {
        const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
        // Without their prefixes, which show the environment.
        const keys = [apiKey, restrictedKey ?? apiKey].map((key) => key.slice(keyPrefixes.sandbox.length));
        await writeText(path, createSecretRemover([...keys, UNKNOWN_KEY], []).fromText(text));
        context.print(
          { path, requests: lines.length, created: [...created] },
          () =>
            `Saved ${save} with ${countRequests()}${signal.aborted ? '. It is incomplete' : ''}.\nCreated ${[...created].join(', ') || 'nothing'}.`,
        );
      }
    }
    printHint({ text: 'Compare the recording', command: `svc gaps check ${quoteForShell(save)}` }, io);
  },
};

/** @throws SvcError `usage` without a key, and for any key that is not a test key */
function requireTestKey(key: string | null, option: string): string {
  if (key?.startsWith(keyPrefixes.sandbox)) return key;
  const problem = key === null ? `Missing option: ${option}` : `The key of ${option} is not a test key.`;
  throw new SvcError('usage', problem, { hint: `Pass a key that starts with ${keyPrefixes.sandbox}` });
}
