/** `svc listen`: registers endpoints while it runs, and follows their deliveries. */
import { InvalidArgumentError } from 'commander';
import type { WebhookWithSecret } from '../../contract/resources.ts';
import type { LiveStream } from '../../control/control-plane.ts';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import { toForwardUrl } from '../../domain/webhook-url.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import { abortAfter, createLinkedController } from '../../timers.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { warnAboutMistypedTypes } from '../endpoint-warnings.ts';
import {
  addEnvFileAlias,
  resolveWriteEnvAlias,
  toEnvVariables,
  type WriteEnvOptions,
  writeEnvFile,
} from '../env-variables.ts';
import { type EndpointChange, ListenEndpoints, type NewEndpoint } from '../listen/listen-endpoints.ts';
import { followAttempts, selectStreamTypes } from '../live/follow.ts';
import { choiceOption, idParser, parseHeaders, parseSubscriptions } from '../option-parsers.ts';
import { askText } from '../prompt.ts';
import { waitForReceiver } from '../wait-for-receiver.ts';

interface ForwardTarget {
  readonly url: string;
  /** Null for the types of `--events`. */
  readonly types: readonly string[] | null;
}

interface Options extends WriteEnvOptions {
  readonly forwardTo?: readonly ForwardTarget[];
  readonly events?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly skipVerify?: true;
  readonly printSecret?: true;
  readonly format: 'default' | 'json';
  readonly keep?: true;
  readonly workspace?: string;
}

/** Time limit for removing the endpoints. Short, because the user has asked the command to end. */
const CLEANUP_TIMEOUT_MS = 2_000;

/** Forwards until the user quits or interrupts. With `--print-secret`, it only registers the endpoints and prints the secret. */
export const command: CommandDefinition<Options> = {
  configure: (command) =>
    addEnvFileAlias(command)
      .option(
        '--forward-to <url>',
        'Port or URL of your receiver, or TYPE[,TYPE]=URL for some event types; repeatable',
        parseForwardTargets,
      )
      .option(
        '-e, --events <list>',
        'Event types to forward, separated by commas (default: *)',
        parseSubscriptions,
      )
      .option(
        '-H, --headers <header>',
        "Header to add to each delivery, as 'Name: value'; repeatable",
        parseHeaders,
      )
      .option('--skip-verify', 'Skip verification of the TLS certificate of the receiver')
      .option('--print-secret', 'Print the endpoint secret and exit; the same URL always has the same secret')
      .addOption(
        choiceOption(
          '--format <format>',
          'Output format; json prints only the body of each delivery attempt, one per line',
          ['default', 'json'],
        ).default('default'),
      )
      .option(
        '--write-env <file>',
        'File to write the environment variables to (see svc env), including the secret of this endpoint',
      )
      .option('--keep', 'Keep the endpoint when the command ends')
      .option(
        '--workspace <id>',
        'Workspace of the endpoint (default: SVC_WORKSPACE_ID, or the one that the emulator created at startup)',
        idParser('workspace'),
      ),
  examples: [
    ['Forward all events to a local port', 'listen --forward-to 3000'],
    [
      'Forward two event types to a path',
      'listen --forward-to localhost:3000/hooks -e order.shipped,invoice.paid',
    ],
    [
      'Forward each event type to its own path',
      'listen --forward-to order.shipped=3000/orders --forward-to invoice.paid=3000/invoices',
    ],
    [
      'Forward to HTTPS with a self-signed certificate and an extra header',
      "listen --forward-to https://localhost:3443 --skip-verify -H 'Authorization: Bearer abc'",
    ],
    ['Print one JSON object per attempt', 'listen --forward-to 3000 --json'],
    ['Print the endpoint secret', 'listen --forward-to 3000 --print-secret'],
  ],
  async run(options, context) {
    if (context.json && options.format === 'json') {
      throw new SvcError('usage', '--json and --format json cannot be used together.', {
        hint: 'Use --json for attempts with their result, or --format json for the bodies that are sent.',
      });
    }
    const newEndpoints = await toNewEndpoints(options, context);
    await warnAboutMistypedTypes([...new Set(newEndpoints.flatMap(({ events = [] }) => events))], context);
    const listener = new ListenEndpoints(await context.connect(), newEndpoints);
    await listener.register();
    try {
      if (options.printSecret) {
        const { endpoints } = listener;
        context.print(toListenReady(endpoints), () => listSecrets(endpoints).join('\n'));
        return ExitCode.success;
      }
      return await listen(listener, options, context);
    } finally {
      await removeEndpoints(listener, context);
    }
  },
};

/** Event types, then `=`. The `=` of a URL is in its query, after a character that event types do not have: `:`, `/` or `?`. */
const TYPES_AND_ADDRESS = /^(?<types>[^=:/?]+)=(?<address>.*)$/;

/** Parses `3000`, `localhost:3000/hooks` or `order.shipped,invoice.paid=3000/orders`, and collects repeated options. */
export function parseForwardTargets(text: string, previous: readonly ForwardTarget[] = []): ForwardTarget[] {
  const { types, address = text } = TYPES_AND_ADDRESS.exec(text)?.groups ?? {};
  const url = toForwardUrl(address);
  if (url === null) {
    throw new InvalidArgumentError('Pass a port or a URL: 3000, localhost:3000/hooks, or TYPE=3000/hooks.');
  }
  // Normalized, because the emulator reuses the endpoint of an earlier listener only if the text of the URL is the same.
  return [
    ...previous,
    { url: new URL(url).href, types: types === undefined ? null : parseEventTypes(types) },
  ];
}

function parseEventTypes(text: string): string[] {
  const types = text.split(',').map((type) => type.trim());
  const invalid = types.find((type) => type !== WILDCARD_SUBSCRIPTION && !isEventType(type));
  if (invalid === undefined) return types;
  throw new InvalidArgumentError(
    `Pass an event type before the =, not ${JSON.stringify(invalid)}: order.shipped=3000/hooks.`,
  );
}

async function toNewEndpoints(options: Options, context: Context): Promise<NewEndpoint[]> {
  const { events, headers = {}, skipVerify = false, keep = false, workspace } = options;
  const targets =
    options.forwardTo ?? (await askText(context, '--forward-to <url>', (text) => parseForwardTargets(text)));
  if (events !== undefined && targets.every(({ types }) => types !== null)) {
    throw new SvcError('usage', '--events has no effect: each --forward-to has its own event types.', {
      hint: 'Remove --events, or add a --forward-to without event types.',
    });
  }
  const workspaceId = workspace ?? (await context.resolveConfig()).values.workspaceId;
  return targets.map(({ url, types }) => ({
    url,
    headers,
    skip_verify: skipVerify,
    listener: !keep,
    ...(workspaceId === null ? {} : { workspace_id: workspaceId }),
    events: [...(types ?? events ?? [WILDCARD_SUBSCRIPTION])],
  }));
}

async function listen(listener: ListenEndpoints, options: Options, context: Context): Promise<ExitCode> {
  const { control, endpoints } = listener;
  await writeVariables(listener, options, context);
  const ended = createLinkedController([context.signal]);
  for (const url of new Set(endpoints.map((endpoint) => endpoint.url))) {
    void waitForReceiver(url, control, { io: context.io, signal: ended.signal });
  }
  const types = options.format === 'json' ? 'attempt' : selectStreamTypes(context);
  const stream = listener.follow(types, context.signal, async (change) => {
    await writeVariables(listener, options, context);
    announceChange(change, listener.endpoints, context);
  });
  const heading = renderHeading(endpoints);
  try {
    return options.format === 'json'
      ? await printEnvelopes(stream, heading, context)
      : await followAttempts(stream, context, { control, heading, ready: toListenReady(endpoints) });
  } finally {
    ended.abort();
  }
}

/** The ready line without its type: the first endpoint, which is usually the only one, and all endpoints. */
function toListenReady(endpoints: readonly WebhookWithSecret[]) {
  const [first] = endpoints;
  return {
    webhook_id: first?.id,
    webhook_secret: first?.secret,
    url: first?.url,
    workspace_id: first?.workspace_id,
    webhooks: endpoints.map(({ id, url, events, secret }) => ({ id, url, events, secret })),
  };
}

/** One line. The secret is first, because the end of the line can be truncated. */
function renderHeading(endpoints: readonly WebhookWithSecret[]): string {
  const targets = endpoints.map(
    ({ url, events }) => url + (events.includes(WILDCARD_SUBSCRIPTION) ? '' : ` (${events.join(', ')})`),
  );
  return `Ready. Secret ${listSecrets(endpoints).join(', ')} for ${targets.join(', ')}`;
}

/** Usually one: endpoints registered together share a secret, except reused ones. */
function listSecrets(endpoints: readonly WebhookWithSecret[]): string[] {
  return [...new Set(endpoints.map(({ secret }) => secret))];
}

/** Prints the body of each attempt, one per line. */
async function printEnvelopes(stream: LiveStream, heading: string, { io }: Context): Promise<ExitCode> {
  await stream.ready;
  io.note(heading);
  for await (const item of stream) {
    // JSON has line breaks only between its tokens, where a space means the same.
    if (item.type === 'attempt') io.write(item.attempt.request.body.replaceAll(/[\r\n]+/g, ' '));
  }
  return ExitCode.interrupted;
}

async function writeVariables(
  { control, endpoints }: ListenEndpoints,
  options: Options,
  context: Context,
): Promise<void> {
  const { envFile } = (await context.resolveConfig(resolveWriteEnvAlias(options))).values;
  const [first] = endpoints;
  if (envFile === null || first === undefined) return;
  const status = { ...(await control.getStatus({})), workspace_id: first.workspace_id };
  const others = listSecrets(endpoints).slice(1);
  const certificate = await context.findCertificate();
  writeEnvFile(envFile, toEnvVariables({ ...status, webhook_secret: first.secret }, certificate, others));
}

function announceChange(
  change: EndpointChange,
  endpoints: readonly WebhookWithSecret[],
  context: Context,
): void {
  const ids = endpoints.map(({ id }) => id).join(', ');
  const secrets = listSecrets(endpoints).join(', ');
  context.io.note(
    change === 'rotated'
      ? `The secret was rotated. Restart your receiver with ${secrets}`
      : endpoints.length === 1
        ? `Registered ${ids} again, because the endpoint no longer existed.`
        : `Registered ${endpoints.length} endpoints again, because they no longer existed: ${ids}`,
  );
  if (context.json) context.printItem({ type: 'ready', ...toListenReady(endpoints) }, () => '');
}

/** Uses a new client, because an interruption aborts the requests of the first one. */
async function removeEndpoints(listener: ListenEndpoints, context: Context): Promise<void> {
  const canceled = await listener.remove(await context.connect(abortAfter(CLEANUP_TIMEOUT_MS)));
  if (canceled > 0)
    context.io.note(
      `Canceled ${formatDeliveryCount(canceled)} that ${canceled === 1 ? 'was' : 'were'} still pending.`,
    );
}
