/** Generates the operations of docs/reference/control-plane.md from the OpenAPI document, and runs its commands. */
import { execa } from 'execa';
import type * as v from 'valibot';
import { expect, it } from 'vitest';
import { controlOperations, streamedOperations } from '../../src/operations/control-operations.ts';
import { createControlDocument } from '../../src/operations/openapi/openapi-document.ts';
import { startConfigurableReceiver } from '../receivers/configurable-receiver.ts';
import { createExample } from '../support/create-example.ts';
import { expectGenerated, listBlocks } from '../support/documents.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

const PAGE = 'docs/reference/control-plane.md';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: { readonly properties: object; readonly required?: readonly string[] };
        }
      >
    >;
  };
}

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const document = createControlDocument('http://127.0.0.1:4777/_svc') as {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const entries = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(
    ([method, operation]): Entry => ({ method: method.toUpperCase(), path, operation }),
  ),
);

/** The variable for an id in the path of each collection. */
const VARIABLES: Readonly<Record<string, string>> = {
  workspaces: '$SVC_WORKSPACE_ID',
  keys: '$KEY_ID',
  webhooks: '$WEBHOOK_ID',
  events: '$EVENT_ID',
  deliveries: '$DELIVERY_ID',
  requests: '$REQUEST_ID',
};

function renderCurl({ method, path, operation }: Entry): string {
  const [, collection = ''] = path.split('/');
  const operations: Readonly<Record<string, { readonly input: v.GenericSchema }>> = {
    ...controlOperations,
    ...streamedOperations,
  };
  const { input } = operations[operation.operationId] as { readonly input: v.GenericSchema };
  const example = createExample(input) as Readonly<Record<string, unknown>>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    return VARIABLES[collection] ?? String(example[name]);
  });
  const query = operation.parameters.flatMap(({ name, in: place }) =>
    place === 'query' && example[name] !== undefined ? [`${name}=${example[name]}`] : [],
  );
  const url = `"$SVC_CONTROL_URL${filled}${query.length === 0 ? '' : `?${query.join('&')}`}"`;
  const fields = Object.keys(operation.requestBody?.content['application/json']?.schema.properties ?? {});
  const body = JSON.stringify(Object.fromEntries(fields.map((name) => [name, example[name]])));
  const parts = [
    'curl',
    ...(path === '/stream' ? ['--no-buffer'] : []),
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    url,
    ...(body === '{}' ? [] : [`-H 'Content-Type: application/json' -d '${body}'`]),
  ];
  return parts.join(' ');
}

/** The fields that a caller can send, except those in the path. Required ones are marked. */
function listFields({ parameters, requestBody }: Operation): string {
  const { properties = {}, required = [] } = requestBody?.content['application/json']?.schema ?? {};
  const body = Object.keys(properties).map((name) => ({ name, required: required.includes(name) }));
  const query = parameters.filter((each) => each.in === 'query');
  const fields = body.length > 0 ? body : query;
  if (fields.length === 0) return '';
  const names = fields.map((field) => `\`${field.name}\`${field.required ? ' (required)' : ''}`);
  return `${body.length > 0 ? 'Body' : 'Query'}: ${names.join(', ')}.`;
}

function renderOperation(entry: Entry): string {
  const { method, path, operation } = entry;
  // Fields after a list would belong to its last item.
  const separator = operation.description.includes('\n') ? '\n\n' : ' ';
  const text = [operation.description, listFields(operation)].filter(Boolean).join(separator);
  return `### ${operation.summary}
\`${method} ${path}\`: ${text}
\`\`\`sh
${renderCurl(entry)}
\`\`\`
`;
}

function renderTag({ name, description }: { readonly name: string; readonly description: string }): string {
  const operations = entries.filter(({ operation }) => operation.tags.includes(name));
  return `## ${name}

${description}

${operations.map(renderOperation).join('\n')}`;
}

/** The first command of the page. */
const CREATE_EVENT = listBlocks(PAGE)[0]?.code.trim() ?? '';

/** Sends the event before the next command. The endpoint has a URL without a receiver by then. */
const FAIL_DELIVERY = `${CREATE_EVENT}
curl -X POST "$SVC_CONTROL_URL/clock/advance" -H 'Content-Type: application/json' -d '{"ms":0}'`;

it('docs/reference/control-plane.md describes every operation of the control plane', async () => {
  await expectGenerated(PAGE, [document.tags.map(renderTag).join('\n').trim()]);
});

/** Operations that remove what others need, in the order in which they can run. */
const LAST = ['deleteWebhook', 'revokeKey', 'reset', 'stop'];

const curl = await execa('curl', ['--version'], { reject: false });

it.skipIf(curl.failed)(
  'every curl command in docs/reference/control-plane.md succeeds',
  async () => {
    await using emulator = await startTestEmulator();
    const { base_url, api_key, control_url, workspace_id } = emulator.status();
    await using receiver = await startConfigurableReceiver({ isAuthentic: () => true });
    const { url } = receiver;
    const webhook = await emulator.api('POST', '/webhooks', { workspace_id, url, events: ['order.shipped'] });
    const event = await emulator.api('POST', '/events', { type: 'order.shipped' });
    const { data: keys } = await emulator.control.listKeys({});
    const { data: deliveries } = await emulator.control.listDeliveries({});
    const rank = ({ operation }: Entry) => LAST.indexOf(operation.operationId);
    const commands = entries.toSorted((a, b) => rank(a) - rank(b)).map(renderCurl);
    const script = [
      'set -eu',
      // The stream has no end. curl exits with 28 at the time limit.
      'curl() { command curl --silent --show-error --fail-with-body --max-time 10 "$@" || test "$1 $?" = "--no-buffer 28"; echo; }',
      CREATE_EVENT,
      ...commands.flatMap((command) => [
        ...(command.includes('status=failing') ? [FAIL_DELIVERY] : []),
        command.replace('--no-buffer', '--no-buffer --max-time 1'),
      ]),
    ];
    const { stdout } = await execa(
      'bash',
      [
        '-c',
        script
          .join('\n')
          .replaceAll('/tmp', createTemporaryFolder())
          .replaceAll('http://localhost:3000/side-effects', receiver.sideEffectsUrl)
          // A sequence can wait two seconds before a repeat.
          .replace('"runs":10', '"runs":2'),
      ],
      {
        env: {
          SVC_BASE_URL: base_url,
          SVC_API_KEY: api_key,
          SVC_CONTROL_URL: control_url,
          SVC_WORKSPACE_ID: workspace_id,
          WEBHOOK_ID: webhook.json.id,
          EVENT_ID: event.json.id,
          KEY_ID: keys[0]?.id ?? '',
          REQUEST_ID: event.headers.get('request-id') ?? '',
          DELIVERY_ID: deliveries[0]?.id ?? '',
        },
        timeout: 30_000,
      },
    );
    expect(stdout).toMatch(/^{"id":"evt_/);
    expect(stdout).toContain('event: ready');
    expect(stdout).not.toContain('"error":{"code"');
  },
  40_000,
);
