/** `svc listen`: registers endpoints while it runs, and shows their deliveries. Without a URL, it receives them itself. */

import { isDeepStrictEqual } from 'node:util';
import { InvalidArgumentError } from 'commander';
import type { Config } from '../../config.ts';
import type { ControlPlane, LiveStream } from '../../contract/control-plane.ts';
import type { WebhookWithSecret } from '../../contract/resources.ts';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import { toForwardUrl } from '../../domain/webhook-url.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import { abortAfter, createLinkedController } from '../../timers.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { warnAboutMistypedTypes } from '../endpoint-warnings.ts';
import { toEnvVariables, writeEnvFile } from '../env-variables.ts';
import { follow, followAttempts } from '../follow.ts';
import { connectOrStart, type ForegroundEmulator, startInForeground } from '../foreground-emulator.ts';
import { type EndpointChange, ListenEndpoints, type NewEndpoint } from '../listen/listen-endpoints.ts';
import { ListenReceiver, type ScriptedResponse } from '../listen/listen-receiver.ts';
import {
  CURRENT_WORKSPACE,
  choiceOption,
  idParser,
  parseHeaders,
  parseSubscriptions,
} from '../option-parsers.ts';
import { toReadyFields } from '../ready-line.ts';
import { waitForReceiver } from '../wait-for-receiver.ts';

interface ForwardTarget {
  readonly url: string;
  /** Null for the types of `--events`. */
  readonly types: readonly string[] | null;
}

interface Options {
  readonly url: readonly ForwardTarget[];
  readonly forwardTo?: readonly ForwardTarget[];
  readonly events?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly skipVerify?: boolean;
  readonly printSecret?: true;
  readonly format: 'default' | 'json';
  readonly respond?: readonly ScriptedResponse[];
  readonly body?: boolean;
  readonly keep?: boolean;
  readonly workspace?: string;
  readonly writeEnv?: string;
}

/** Time limit for removing the endpoints. Short, because the user has asked the command to end. */
const CLEANUP_TIMEOUT_MS = 2_000;

/** Runs until the user quits or interrupts. With `--print-secret`, it only registers the endpoints and prints the secret. */
export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .argument(
        '[url...]',
        'Port or URL of your receiver, or TYPE[,TYPE]=URL for some event types; default: receive the deliveries in this process',
        parseForwardTargets,
      )
      .option('--forward-to <url>', 'The same as the argument; repeatable', parseForwardTargets)
      .optionWithDefault(
        '--respond <list>',
        'Responses without a URL: statuses, timeout or reset, separated by commas; the last one is repeated',
        '200',
        parseResponses,
      )
      .option('--body', 'Without a URL: print the body of each delivery')
      .optionWithDefault(
        '-e, --events <list>',
        'Event types to forward, separated by commas',
        '*',
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
      .optionWithDefault(
        '--workspace <id>',
        'Workspace of the endpoint',
        CURRENT_WORKSPACE,
        idParser('workspace'),
      ),
  examples: [
    ['Receive and verify all events, without a receiver of your own', 'listen'],
    ['Respond with 500 to the first two requests, and then with 200', 'listen --respond 500,500,200'],
    ['Forward all events to a local port', 'listen 3000'],
    ['Forward two event types to a path', 'listen localhost:3000/hooks -e order.shipped,invoice.paid'],
    [
      'Forward each event type to its own path',
      'listen order.shipped=3000/orders invoice.paid=3000/invoices',
    ],
    [
      'Forward to HTTPS with a self-signed certificate and an extra header',
      "listen https://localhost:3443 --skip-verify -H 'Authorization: Bearer abc'",
    ],
    ['Print one JSON object per attempt', 'listen 3000 --json'],
    ['Print the endpoint secret', 'listen 3000 --print-secret'],
  ],
  async run(options, context) {
    const targets = [...options.url, ...(options.forwardTo ?? [])];
    rejectUselessOptions(options, targets, context);
    // The secret of an emulator that ends with this command would be useless.
    const { control, foreground } = options.printSecret
      ? { control: await context.connect(), foreground: null }
      : await connect(options, context);
    let receiver: ListenReceiver | null = null;
    try {
      if (targets.length === 0) receiver = await startReceiver(options, control, context);
      const urls = receiver === null ? targets : [{ url: receiver.url, types: null }];
      const newEndpoints = await toNewEndpoints(urls, options, context);
      await warnAboutMistypedTypes([...new Set(newEndpoints.flatMap(({ events = [] }) => events))], context);
      const listener = new ListenEndpoints(control, newEndpoints);
      await listener.register();
      try {
        reportExistingEndpoints(listener.endpoints, newEndpoints, context);
        if (options.printSecret) {
          const { endpoints } = listener;
          context.print(toListenReady(endpoints), () => listSecrets(endpoints).join('\n'));
          return ExitCode.success;
        }
        const exitCode = await listen(listener, { receiver, foreground }, options, context);
        // As `svc emulator start`.
        return foreground === null ? exitCode : ExitCode.success;
      } finally {
        // A new client, because an interruption aborts the requests of the first one.
        const client = foreground ? control : await context.connect(abortAfter(CLEANUP_TIMEOUT_MS));
        await removeEndpoints(listener, client, context);
      }
    } finally {
      await receiver?.close();
      await foreground?.close();
    }
  },
};

/** Event types, then `=`. The `=` of a URL is in its query, after a character that event types do not have: `:`, `/` or `?`. */
const TYPES_AND_ADDRESS = /^(?<types>[^=:/?]+)=(?<address>.*)$/;

/** Parses `500,timeout,200`. */
export function parseResponses(text: string): ScriptedResponse[] {
  return text.split(',').map((part) => {
    const response = part.trim();
    if (response === 'timeout' || response === 'reset') return response;
    if (/^[2-5]\d\d$/.test(response)) return Number(response);
    throw new InvalidArgumentError(
      'Pass statuses from 200 to 599, timeout or reset, separated by commas, such as 500,500,200.',
    );
  });
}

/** @throws SvcError `usage` for options that would have no effect. */
function rejectUselessOptions(
  options: Options,
  targets: readonly ForwardTarget[],
  { json }: Pick<Context, 'json'>,
): void {
  if (json && options.format === 'json') {
    throw new SvcError('usage', '--json and --format json cannot be used together.', {
      hint: 'Use --json for attempts with their result, or --format json for the bodies that are sent.',
    });
  }
  if (options.body && options.format === 'json') {
    throw new SvcError('usage', '--body has no effect: --format json prints only bodies.', {
      hint: 'Remove --body.',
    });
  }
  const find = (...names: readonly (keyof Options)[]) => names.find((name) => options[name] !== undefined);
  const forwarding = find('skipVerify', 'keep', 'printSecret');
  const receiving = find('respond', 'body');
  if (targets.length === 0 && forwarding !== undefined) {
    throw new SvcError('usage', `${toFlag(forwarding)} needs the URL of a receiver.`, {
      hint: { text: 'Add it, for example', command: `svc listen 3000 ${toFlag(forwarding)}` },
    });
  }
  if (targets.length > 0 && receiving !== undefined) {
    throw new SvcError('usage', `${toFlag(receiving)} has no effect: your receiver responds.`, {
      hint: `Remove the URL to receive the deliveries in svc, or remove ${toFlag(receiving)}.`,
    });
  }
  if (targets.length > 0 && options.events !== undefined && targets.every(({ types }) => types !== null)) {
    throw new SvcError('usage', '--events has no effect: each URL has its own event types.', {
      hint: 'Remove --events, or add a URL without event types.',
    });
  }
}

/** `--skip-verify` */
function toFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

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

async function toNewEndpoints(
  targets: readonly ForwardTarget[],
  { events, headers = {}, skipVerify = false, keep = false, workspace }: Options,
  context: Context,
): Promise<NewEndpoint[]> {
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

interface Connection {
  readonly control: ControlPlane;
  /** The emulator that this process has started; null if one was running. */
  readonly foreground: ForegroundEmulator | null;
}

/** Connects to the emulator of this folder, or starts one. */
async function connect({ writeEnv }: Options, context: Context): Promise<Connection> {
  const config = await context.resolveConfig({ writeEnv });
  return connectOrStart<Connection>(
    async () => ({ control: await context.connect(), foreground: null }),
    () => start(config, context),
    config,
  );
}

async function start(config: Config, context: Context): Promise<Connection> {
  const rules = await context.resolveRules();
  const foreground = await startInForeground({ config, rules }, context).catch((error) => {
    if (!(error instanceof SvcError) || error.code !== 'port_in_use') throw error;
    const hint = {
      text: 'Start the emulator on a free port first, in another terminal',
      command: 'svc emulator start --port 0',
    };
    throw new SvcError('port_in_use', error.message, { hint, cause: error });
  });
  return { control: foreground.emulator.control, foreground };
}

/**
 * Says which endpoints exist already and are used, so that no event arrives twice.
 * @throws SvcError `usage` for options that differ from the settings of such an endpoint.
 */
function reportExistingEndpoints(
  endpoints: readonly WebhookWithSecret[],
  newEndpoints: readonly NewEndpoint[],
  { io }: Context,
): void {
  for (const [index, endpoint] of endpoints.entries()) {
    const wanted = newEndpoints[index];
    if (wanted === undefined || !isExisting(endpoint, wanted)) continue;
    const { id, url, events } = endpoint;
    const option = findDifferentOption(endpoint, wanted);
    if (option !== null) {
      throw new SvcError(
        'usage',
        `${option} has no effect: ${id} already sends ${events.join(', ')} to ${url}.`,
        {
          hint: {
            text: `Change that endpoint with svc webhooks update ${id} ${option}, or delete it`,
            command: `svc webhooks delete ${id}`,
          },
        },
      );
    }
    io.note(
      `Using ${id}, which already sends ${events.join(', ')} to ${url}. It stays when svc listen ends.`,
    );
  }
}

/** Whether the emulator has used a permanent endpoint, although a temporary one was to be registered. */
function isExisting(endpoint: WebhookWithSecret, wanted: NewEndpoint): boolean {
  return wanted.listener === true && !endpoint.listener;
}

function findDifferentOption(endpoint: WebhookWithSecret, wanted: NewEndpoint): string | null {
  const { events = [], headers = {}, skip_verify: skipVerify } = wanted;
  const sorted = (types: readonly string[]) => [...new Set(types)].sort();
  if (!events.includes(WILDCARD_SUBSCRIPTION) && !isDeepStrictEqual(sorted(events), sorted(endpoint.events)))
    return '--events';
  if (Object.keys(headers).length > 0 && !isDeepStrictEqual(headers, endpoint.headers)) return '--headers';
  return skipVerify && !endpoint.skip_verify ? '--skip-verify' : null;
}

interface Parts {
  /** Null if the user has a receiver. */
  readonly receiver: ListenReceiver | null;
  readonly foreground: ForegroundEmulator | null;
}

function startReceiver(
  { respond = [200], body = false, format }: Options,
  control: ControlPlane,
  context: Context,
): Promise<ListenReceiver> {
  const options = { responses: respond, printsBodies: body, printsRequests: format !== 'json' };
  return ListenReceiver.start(options, control, context);
}

async function listen(
  listener: ListenEndpoints,
  { receiver, foreground }: Parts,
  options: Options,
  context: Context,
): Promise<ExitCode> {
  const { control, endpoints } = listener;
  await writeVariables(listener, options, context);
  const ended = createLinkedController([
    context.signal,
    ...(foreground ? [foreground.emulator.closing] : []),
  ]);
  if (receiver === null) {
    for (const url of new Set(endpoints.map((endpoint) => endpoint.url))) {
      void waitForReceiver(url, control, { io: context.io, signal: ended.signal });
    }
  }
  const printsEnvelopes = options.format === 'json';
  const stream = listener.follow('attempt', ended.signal, async (change) => {
    await writeVariables(listener, options, context);
    announceChange(change, listener.endpoints, receiver !== null, context);
  });
  try {
    await stream.ready;
    const heading = await announce(listener, { receiver, foreground }, context);
    const ready = {
      ...toListenReady(endpoints),
      ...(foreground && { emulator: toReadyFields(foreground.emulator.status()) }),
    };
    if (receiver === null && !printsEnvelopes) {
      return await followAttempts(stream, context, { heading, ready });
    }
    const exitCode = printsEnvelopes
      ? printEnvelopes(stream, heading, context)
      : follow(stream, context, { heading, ready }, (item) => receiver?.printFailure(item));
    receiver?.begin(listener);
    return await exitCode;
  } finally {
    ended.abort();
  }
}

/** Prints the banner of an emulator that this process has started. @returns the heading of the deliveries */
async function announce(
  { endpoints }: ListenEndpoints,
  { receiver, foreground }: Parts,
  context: Context,
): Promise<string> {
  const [first] = endpoints;
  if (foreground !== null && first !== undefined && !context.json) {
    const { webhook_previous_url: _, ...status } = foreground.emulator.status();
    await foreground.announce({ ...status, webhook_id: first.id, webhook_secret: first.secret });
  }
  if (foreground !== null) return `${WAITING}. Press Ctrl-C to stop.`;
  if (receiver === null) return renderHeading(endpoints);
  const type = first?.events.find((event) => event !== WILDCARD_SUBSCRIPTION) ?? 'order.shipped';
  return `${renderHeading(endpoints)}\n${WAITING} with: svc trigger ${type}`;
}

const WAITING = 'Waiting for deliveries. Create an event in another terminal';

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
  const targets = endpoints.map(({ id, url, events, listener }) => {
    const types = events.includes(WILDCARD_SUBSCRIPTION) ? '' : ` (${events.join(', ')})`;
    return `${url}${types}${listener ? '' : ` (permanent endpoint ${id})`}`;
  });
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
  const { envFile } = (await context.resolveConfig({ writeEnv: options.writeEnv })).values;
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
  isOwnReceiver: boolean,
  context: Context,
): void {
  const ids = endpoints.map(({ id }) => id).join(', ');
  const secrets = listSecrets(endpoints).join(', ');
  context.io.note(
    change === 'rotated'
      ? `The secret was rotated. ${isOwnReceiver ? 'It is now' : 'Restart your receiver with'} ${secrets}`
      : endpoints.length === 1
        ? `Registered ${ids} again, because the endpoint no longer existed.`
        : `Registered ${endpoints.length} endpoints again, because they no longer existed: ${ids}`,
  );
  if (context.json) context.printItem({ type: 'ready', ...toListenReady(endpoints) }, () => '');
}

async function removeEndpoints(
  listener: ListenEndpoints,
  control: ControlPlane,
  { io }: Context,
): Promise<void> {
  const canceled = await listener.remove(control);
  if (canceled === 0) return;
  io.note(`Canceled ${formatDeliveryCount(canceled)} that ${canceled === 1 ? 'was' : 'were'} still pending.`);
}
