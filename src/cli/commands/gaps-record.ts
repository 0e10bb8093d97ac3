/** `svc gaps record`: sends harmless requests to a service, and writes them as NDJSON without keys. */
import { resolve } from 'node:path';
import { sendRequest } from '../../client/http-client.ts';
import { keyPrefixes, maskSecret } from '../../domain/credentials.ts';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { createSecretRemover } from '../../domain/secret-remover.ts';
import { quoteForShell } from '../../domain/shell.ts';
import { sleep } from '../../platform/timers.ts';
import type { RequestLine } from '../../recordings/read-recording.ts';
import { sendSampleRequests } from '../../recordings/sample-requests.ts';
import { wholeNumberFrom } from '../../resources/value-schemas.ts';
import { EventType } from '../../resources/values.ts';
import { defineCommand } from '../define-command.ts';
import { assertFileWritable, readCaFile, writeText } from '../file-access.ts';
import { durationParser, urlOption } from '../option-parsers.ts';
import { withProgress } from '../progress.ts';
import { confirmOrFail, requiredYesRow } from '../prompt.ts';
import { printHint } from '../report-error.ts';

const DEFAULT_DELAY_MS = 500;
const DEFAULT_TYPE = 'svc.recorded';

const DETAILS = `
The command sends one request at a time, which takes about 20 seconds with the default --delay. It creates one event, or
up to 15 if the service accepts invalid requests, and deletes nothing, because the API cannot delete.
Use a key for a workspace without real data. Live keys are refused. The file contains no keys or secrets.`;

export const record = defineCommand({
  options: {
    baseUrl: {
      argument: '<base-url>',
      summary: 'Base address of the API, which ends in /v1',
      parse: urlOption,
    },
    save: {
      option: '--save <file>',
      summary: 'NDJSON file to write; an existing file is replaced',
      ask: true,
    },
    type: {
      option: '--type <type>',
      summary: 'Type of the events to create',
      schema: EventType,
      defaultText: DEFAULT_TYPE,
    },
    delay: {
      option: '--delay <duration>',
      summary: 'Pause between two requests',
      parse: durationParser(wholeNumberFrom(1, 60 * SECOND_MS)),
      defaultText: formatDuration(DEFAULT_DELAY_MS),
    },
    yes: requiredYesRow('Start'),
  },
  notes: DETAILS,
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
    const { save, type = DEFAULT_TYPE, delay = DEFAULT_DELAY_MS, yes } = options;
    const { apiKey, ca } = (await context.resolveConfig()).values;
    const { io, now, signal, cwd } = context;
    const baseUrl = options.baseUrl.replace(/\/$/, '');
    if (!baseUrl.endsWith('/v1')) {
      throw new SvcError('usage', `${baseUrl} does not end in /v1.`, { hint: `Pass ${baseUrl}/v1` });
    }
    if (!apiKey?.startsWith(keyPrefixes.sandbox)) {
      const problem = apiKey === null ? 'Missing option: --api-key' : 'The API key is not a test key.';
      throw new SvcError('usage', problem, { hint: `Pass a key that starts with ${keyPrefixes.sandbox}` });
    }
    const path = resolve(cwd, save);
    const question = `Send about 40 requests to ${baseUrl} with ${maskSecret(apiKey)}? They create at least one event.`;
    await confirmOrFail(context, question, yes);
    assertFileWritable(path);
    const authority = ca === null ? undefined : readCaFile(ca, cwd);
    const lines: RequestLine[] = [];

    const send = async (request: RequestLine['request']) => {
      if (lines.length > 0) await sleep(delay, signal);
      const url = new URL(request.url);
      const startedAt = now();
      const noResponseHint = 'Check the base address, and that the service is reachable from this machine.';
      const response = await sendRequest({ ...request, url, ca: authority, signal, noResponseHint });
      const { status, text } = response;
      if (lines.length === 0 && status === 401) {
        throw new SvcError('unauthenticated', `${url.origin} rejected the API key.`, {
          hint: 'Pass another key with --api-key.',
        });
      }
      // Only cookies are lists, and they are removed.
      const headers = createSecretRemover([], []).fromHeaders(response.headers as Record<string, string>);
      lines.push({
        sent_at: new Date(startedAt).toISOString(),
        duration_ms: now() - startedAt,
        response_status: status,
        request,
        response: { headers, body: text },
      });
      return { status, text };
    };

    const countRequests = () => formatCount(lines.length, 'request');
    const recording = sendSampleRequests({ send, baseUrl, apiKey, type });
    await withProgress(context, async () => `Recorded ${countRequests()}…`, recording);
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    // Without its prefix, which shows the environment.
    const key = apiKey.slice(keyPrefixes.sandbox.length);
    await writeText(path, createSecretRemover([key], []).fromText(text));
    context.print({ path, requests: lines.length }, () => `Saved ${save} with ${countRequests()}.`);
    printHint({ text: 'Compare the recording', command: `svc gaps check ${quoteForShell(save)}` }, io);
  },
});
