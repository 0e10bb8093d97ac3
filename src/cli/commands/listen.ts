/** `svc listen`: registers an endpoint while it runs, and shows its deliveries. Without a URL, it receives them itself. */

import { InvalidArgumentError } from 'commander';
import { ExitCode, SvcError } from '../../domain/errors.ts';
import { WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import type { ControlInput } from '../../operations/control-operations.ts';
import type { ControlPlane, LiveStream } from '../../operations/control-plane.ts';
import { abortAfter, createLinkedController } from '../../platform/abort-signals.ts';
import { pickFields } from '../../resources/define-resource.ts';
import type { RegisteredWebhook } from '../../resources/endpoint.ts';
import type { Context } from '../context.ts';
import { defineCommand, type ValuesOf } from '../define-command.ts';
import { warnAboutMistypedTypes } from '../endpoint-warnings.ts';
import { follow, followAttempts } from '../follow.ts';
import { canStart, type ForegroundEmulator, startInForeground } from '../foreground-emulator.ts';
import {
  type Listener,
  type ListenReceiver,
  type ScriptedResponse,
  startListenReceiver,
} from '../listen-receiver.ts';
import { parseReceiverUrl } from '../option-parsers.ts';
import { currentWorkspace } from '../option-rows.ts';
import { findType, toReadyFields } from '../ready-line.ts';
import { endpointRows } from '../resource-rows.ts';
import { senderChoices, senderRow } from '../secret-option.ts';
import { warnIfNotListening } from '../wait-for-receiver.ts';

/** Time limit for removing the endpoint. Short, because the user has asked the command to end. */
const CLEANUP_TIMEOUT_MS = 2_000;

/** The URL is an argument, and the endpoint is enabled. */
const { url: _url, disabled: _disabled, ...settingRows } = endpointRows;

const rows = {
  url: {
    argument: '[url]',
    summary: 'Port or URL of your receiver',
    parse: parseReceiverUrl,
    defaultText: 'receive the deliveries in this process',
  },
  respond: {
    option: '--respond <list>',
    summary:
      'Responses to send if you pass no URL: statuses, timeout or reset, separated by commas; the last one is repeated',
    parse: parseResponses,
    defaultText: '200',
    conflicts: ['url'],
  },
  body: {
    option: '--body',
    summary: 'Print the body of each delivery, if you pass no URL',
    conflicts: ['url'],
  },
  ...settingRows,
  events: { ...settingRows.events, defaultText: '*' },
  skip_verify: { ...settingRows.skip_verify, needs: 'url' },
  printSecret: {
    option: '--print-secret',
    summary: 'Print the endpoint secret and exit',
    needs: 'url',
  },
  format: {
    option: '--format <format>',
    summary: 'Output format; json prints only the body of each delivery attempt, one per line',
    choices: ['default', 'json'],
    defaultText: 'default',
  },
  sender: { ...senderRow, summary: `Sender to start the emulator as: ${senderChoices}` },
  workspace: {
    option: '--workspace <id>',
    summary: 'Workspace of the endpoint',
    idKind: 'workspace',
    defaultText: currentWorkspace.defaultText,
  },
} as const;

type Options = ValuesOf<typeof rows>;

/** Runs until the user quits or interrupts. With `--print-secret`, it only registers the endpoint and prints the secret. */
export const command = defineCommand({
  options: rows,
  examples: [
    ['Receive and verify all events, without a receiver of your own', 'listen'],
    ['Respond with 500 to the first two requests, and then with 200', 'listen --respond 500,500,200'],
    ['Forward all events to a local port', 'listen 3000'],
    ['Forward two event types to a path', 'listen localhost:3000/hooks -e order.shipped,invoice.paid'],
    [
      'Forward to HTTPS with a self-signed certificate and an extra header',
      "listen https://localhost:3443 --skip-verify -H 'Authorization: Bearer abc'",
    ],
    ['Receive the webhooks of GitHub', 'listen 3000 --sender github'],
  ],
  async run(options, context) {
    const { url: forwardUrl } = options;
    // The secret of an emulator that ends with this command would be useless.
    const foreground = options.printSecret ? null : await startUnlessRunning(options, context);
    const control = foreground?.emulator.control ?? (await context.connect());
    if (foreground === null && options.sender !== undefined) await assertSender(options.sender, context);
    let receiver: ListenReceiver | null = null;
    try {
      if (forwardUrl === undefined) {
        const { respond: responses = [200], body, format, sender } = options;
        receiver = await startListenReceiver(
          { sender, responses, printsBodies: body === true, printsRequests: format !== 'json' },
          context,
        );
      }
      const newEndpoint = await toNewEndpoint(forwardUrl ?? String(receiver?.url), options, context);
      await warnAboutMistypedTypes(newEndpoint.events ?? [], context, options.sender);
      const listener: Listener = {
        registered: await control.createWebhook({ ...newEndpoint, reuse: true }),
      };
      try {
        reportExistingEndpoint(listener.registered, context);
        if (options.printSecret) {
          const { registered } = listener;
          context.print(toListenReady(registered), () => registered.secret);
          return ExitCode.success;
        }
        const parts = { control, newEndpoint, receiver, foreground };
        const exitCode = await listen(listener, parts, options, context);
        if (foreground === null) return exitCode;
        if (!foreground.emulator.closing.aborted) context.io.note('Stopping the emulator.');
        // As with `svc emulator start`, an interruption is a success.
        return ExitCode.success;
      } finally {
        // A new client, because an interruption aborts the requests of the first one. None if the emulator has stopped.
        const client = foreground
          ? control
          : await context.connect(abortAfter(CLEANUP_TIMEOUT_MS)).catch(() => null);
        if (client !== null) await removeEndpoint(listener.registered, client, context);
      }
    } finally {
      await receiver?.close();
      await foreground?.emulator.close();
    }
  },
});

/** Parses `500,timeout,200`. Collects repeated options. */
export function parseResponses(text: string, previous: readonly ScriptedResponse[] = []): ScriptedResponse[] {
  const responses = text.split(',').map((part) => {
    const response = part.trim();
    if (response === 'timeout' || response === 'reset') return response;
    if (/^[2-5]\d\d$/.test(response)) return Number(response);
    throw new InvalidArgumentError(
      'Pass statuses from 200 to 599, timeout or reset, separated by commas, such as 500,500,200.',
    );
  });
  return [...previous, ...responses];
}

type NewEndpoint = ControlInput<'createWebhook'>;

async function toNewEndpoint(url: string, options: Options, context: Context): Promise<NewEndpoint> {
  const workspaceId = options.workspace ?? (await context.resolveConfig()).values.workspaceId;
  return {
    ...pickFields(settingRows, options),
    // Normalized, because the emulator reuses the endpoint of an earlier listener only if the text of the URL is the same.
    url: new URL(url).href,
    listener: true,
    ...(workspaceId === null ? {} : { workspace_id: workspaceId }),
  };
}

/** Starts an emulator. @returns null if one runs or is configured */
async function startUnlessRunning({ sender }: Options, context: Context): Promise<ForegroundEmulator | null> {
  const config = await context.resolveConfig();
  try {
    await context.connect();
    return null;
  } catch (error) {
    if (canStart(error, config)) return startInForeground(context, sender === undefined ? {} : { sender });
    throw error;
  }
}

/** @throws SvcError `usage` if the emulator that runs delivers as another sender, which only a new start changes */
async function assertSender(sender: string, context: Context): Promise<void> {
  const { sender: current } = await context.getStatus();
  if (current === sender) return;
  throw new SvcError('usage', `The emulator delivers as the sender ${current}, not as ${sender}.`, {
    hint: { text: 'Stop it, and run svc listen again', command: 'svc emulator stop' },
  });
}

/** Says that a permanent endpoint or that of another `svc listen` is used, so that no event arrives twice. */
function reportExistingEndpoint(
  { id, url, events, shared, listener }: RegisteredWebhook,
  { io }: Context,
): void {
  if (!shared && listener) return;
  const reason = shared ? 'for another svc listen' : 'and stays when svc listen ends';
  io.note(`Using ${id}, which already sends ${events.join(', ')} to ${url} ${reason}. Its settings apply.`);
}

interface Parts {
  readonly control: ControlPlane;
  readonly newEndpoint: NewEndpoint;
  /** Null if the user has a receiver. */
  readonly receiver: ListenReceiver | null;
  readonly foreground: ForegroundEmulator | null;
}

/** Follows the attempts until the user interrupts. Registers the endpoint again if the emulator loses it, for example with a reset. */
async function listen(
  listener: Listener,
  parts: Parts,
  options: Options,
  context: Context,
): Promise<ExitCode> {
  const { control, newEndpoint, receiver, foreground } = parts;
  const ended = createLinkedController([
    context.signal,
    ...(foreground ? [foreground.emulator.closing] : []),
  ]);
  const { signal } = ended;
  if (receiver === null) void warnIfNotListening(listener.registered.url, context.io);
  let heading: string | null = null;
  try {
    for (;;) {
      const { id, secret } = listener.registered;
      try {
        const stream = control.stream({ types: 'attempt', listener: id }, signal);
        await stream.ready;
        heading ??= await announce(listener.registered, parts, context);
        const exitCode = print(stream, heading, listener, parts, options, context);
        receiver?.begin(listener);
        return await exitCode;
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== 'not_found') throw error;
      }
      // With the same secret, which the receiver has.
      listener.registered = await control.createWebhook({ ...newEndpoint, secret, reuse: true });
      heading = `Registered ${listener.registered.id} again, because the endpoint no longer existed.`;
      if (context.json) context.io.note(heading);
    }
  } finally {
    ended.abort();
  }
}

function print(
  stream: LiveStream,
  heading: string,
  { registered }: Listener,
  { receiver, foreground }: Parts,
  { format }: Options,
  context: Context,
): Promise<ExitCode> {
  if (format === 'json') {
    // There is no ready line, even with --json.
    return follow(stream, { ...context, json: false }, { heading }, (item) => {
      // JSON has line breaks only between its tokens, where a space means the same.
      if (item.type === 'attempt') context.io.write(item.attempt.request.body.replaceAll(/[\r\n]+/g, ' '));
    });
  }
  const ready = {
    ...toListenReady(registered),
    ...(foreground && { emulator: toReadyFields(foreground.emulator.status()) }),
  };
  if (receiver === null) return followAttempts(stream, context, { heading, ready });
  return follow(stream, context, { heading, ready }, (item) => receiver.printFailure(item));
}

/** Prints the banner of an emulator that this process has started. @returns the heading of the deliveries */
async function announce(
  registered: RegisteredWebhook,
  { receiver, foreground }: Parts,
  context: Context,
): Promise<string> {
  const { id, secret, events } = registered;
  if (foreground !== null && !context.json) {
    await foreground.announce({ ...foreground.emulator.status(), webhook_id: id, webhook_secret: secret });
  }
  if (foreground !== null) return `${WAITING}. Press Ctrl-C to stop the emulator.`;
  if (receiver === null) return renderHeading(registered);
  const { example_type: example } = await context.getStatus();
  return `${renderHeading(registered)}\n${WAITING} with: svc trigger ${findType(events, example)}`;
}

const WAITING = 'Waiting for deliveries. Create an event in another terminal';

/** The ready line without its type. */
function toListenReady({ id, secret, url, workspace_id }: RegisteredWebhook) {
  return { webhook_id: id, webhook_secret: secret, url, workspace_id };
}

/** One line. The secret is first, because the end of the line can be truncated. */
function renderHeading({ id, url, events, listener, secret }: RegisteredWebhook): string {
  const types = events.includes(WILDCARD_SUBSCRIPTION) ? '' : ` (${events.join(', ')})`;
  return `Ready. Secret ${secret} for ${url}${types}${listener ? '' : ` (permanent endpoint ${id})`}`;
}

/** Removes a temporary endpoint, unless another `svc listen` has registered it. If that fails, the emulator removes it itself later. */
async function removeEndpoint(
  { id, listener, shared }: RegisteredWebhook,
  control: ControlPlane,
  { io }: Context,
): Promise<void> {
  if (!listener || shared) return;
  const deleted = await control.deleteWebhook({ id }).catch(() => null);
  const canceled = deleted?.canceled_deliveries ?? 0;
  if (canceled === 0) return;
  io.note(`Canceled ${formatDeliveryCount(canceled)} that ${canceled === 1 ? 'was' : 'were'} still pending.`);
}
