/** `svc webhooks`: lists, shows, creates, updates and deletes endpoints, and rotates their secrets. */
import type { ControlInput } from '../../contract/control-operations.ts';
import type { CreatedWebhook, Webhook, WebhookDetail } from '../../contract/resources.ts';
import { describeWebhook, publicWebhookFields, webhookDefaults } from '../../contract/webhook-settings.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import { SvcError } from '../../errors.ts';
import { eventTypeChoices } from '../choices/fixture-choices.ts';
import { webhookChoices, webhookColumns } from '../choices/resource-choices.ts';
import { AskedArgument, type CommandDefinition } from '../command.ts';
import { rejectOwnUrl, warnAboutMistypedTypes, warnIfDeliveredTwice } from '../endpoint-warnings.ts';
import { addOptions, createNegation } from '../field-option.ts';
import { addWorkspaceOption, parseDurationMs, parseWebhookUrl } from '../option-parsers.ts';
import { addWorkspacePageOptions, type WorkspacePageOptions } from '../page-options.ts';
import type { NoteOutput } from '../process-context.ts';
import { askChoice, askText, confirm, yesOption } from '../prompt.ts';
import { formatTime } from '../render/format.ts';
import { printPage, renderFields } from '../render/table.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';
import { createWebhookOptions } from '../webhook-options.ts';

const ID_DESCRIPTION = 'Endpoint ID (wh_…)';

export const list: CommandDefinition<WorkspacePageOptions> = {
  configure: (command) => addWorkspacePageOptions(command, 'Only list endpoints in this workspace'),
  examples: [
    ['List the endpoints of all workspaces', 'webhooks list'],
    ['Print the endpoints as JSON', 'webhooks list --json'],
  ],
  async run(options, context) {
    const control = await context.connect();
    const webhooks = await control.listWebhooks(options);
    const scheduleTimeOf = await fetchScheduleTimes(webhooks.data, control, context);
    await printPage(context, webhooks, 'endpoints', webhookColumns(scheduleTimeOf));
  },
};

export const get: CommandDefinition<{ readonly id?: string; readonly showSecret?: true }> = {
  configure: (command) =>
    command
      .addArgument(new AskedArgument('id', ID_DESCRIPTION))
      .option('--show-secret', 'Also show the secret, and the previous one after a rotation'),
  examples: [
    ['Show an endpoint', 'webhooks get wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['Show its secret too', 'webhooks get wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --show-secret'],
  ],
  async run({ id: idArgument, showSecret }, context) {
    const id = idArgument ?? (await askChoice(context, 'id', webhookChoices));
    const control = await context.connect();
    const secrets = showSecret && (await control.revealSecret({ id }));
    const webhook = { ...(await control.getWebhook({ id })), ...secrets };
    const scheduleTimeOf = await fetchScheduleTimes([webhook], control, context);
    context.print(webhook, () => renderWebhook(webhook, context.io, scheduleTimeOf(webhook)));
  },
};

type Change = Omit<ControlInput<'updateWebhook'>, 'id'>;
type CreateOptions = Partial<Pick<Change, keyof typeof publicWebhookFields>> & {
  readonly workspace?: string;
};

export const create: CommandDefinition<CreateOptions> = {
  configure: (command) =>
    addWorkspaceOption(addOptions(command, createWebhookOptions(), Object.keys(publicWebhookFields))),
  examples: [
    ['Deliver one event type to a local port', 'webhooks create --url 3000/webhooks --events order.shipped'],
    [
      'Deliver two event types to a URL',
      'webhooks create --url http://localhost:3000/webhooks --events order.shipped,invoice.paid',
    ],
    [
      'Deliver every event type and print the endpoint as JSON',
      "webhooks create --url https://example.com/hooks -e '*' --json",
    ],
  ],
  /** Uses the public API, so that scopes and the workspace of the key apply. */
  async run({ workspace, ...settings }, context) {
    const url = settings.url ?? (await askText(context, '--url <url>', parseWebhookUrl));
    const events = settings.events ?? [await askChoice(context, '--events <list>', eventTypeChoices)];
    await rejectOwnUrl(url, context);
    const workspaceId = workspace ?? (await context.getWorkspaceId());
    const api = await context.connectApi(workspaceId);
    const input = { workspace_id: workspaceId, ...settings, url, events };
    const { value: webhook, text } = await api.createWebhook(input);
    context.printJsonText(text, () => renderWebhook(webhook, context.io));
    noteSecret(webhook, context.io);
    await warnAboutMistypedTypes(webhook.events, context);
    await warnIfDeliveredTwice(webhook, await context.connect(), context.io);
  },
};

/** A setting is false with `--no-…`. */
type UpdateOptions = { readonly [Name in keyof Change]?: Change[Name] | false } & {
  readonly id?: string;
  readonly enable?: true;
};

export const update: CommandDefinition<UpdateOptions> = {
  configure: (command) => {
    const { url, events, disabled, ...others } = createWebhookOptions();
    events.description = 'Event types that replace the current ones, separated by commas, or * for all';
    addOptions(command.addArgument(new AskedArgument('id', ID_DESCRIPTION)), { url, events });
    for (const option of Object.values(others)) command.addOption(option).addOption(createNegation(option));
    command
      .addOption(disabled.conflicts('enable'))
      .option('--enable', 'Send paused deliveries, and create deliveries for new events');
  },
  examples: [
    [
      'Deliver to another port',
      'webhooks update wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --url http://localhost:4000/hooks',
    ],
    [
      'Replace the event types of an endpoint',
      'webhooks update wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --events order.shipped,invoice.paid',
    ],
    ['Disable an endpoint', 'webhooks update wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --disable'],
  ],
  async run({ id, enable, ...options }, context) {
    const change = toChange({ ...options, ...(enable && { disabled: false }) });
    if (Object.keys(change).length === 0) {
      throw new SvcError('usage', 'Nothing to update: no option was passed.', {
        hint: { text: 'Show the options', command: 'svc webhooks update --help' },
      });
    }
    const webhookId = id ?? (await askChoice(context, 'id', webhookChoices));
    const control = await context.connect();
    if (change.url !== undefined) await rejectOwnUrl(change.url, context);
    const webhook = await control.updateWebhook({ id: webhookId, ...change });
    context.print(webhook, () => renderWebhook(webhook, context.io));
    await warnAboutMistypedTypes(change.events ?? [], context);
    if ((change.url || change.events || enable) && !webhook.disabled)
      await warnIfDeliveredTwice(webhook, control, context.io);
  },
};

/** Without a flag, `--no-…` sets the default. */
function toChange(options: UpdateOptions): Change {
  const defaults: Readonly<Record<string, unknown>> = webhookDefaults;
  const isUnset = (name: string, value: unknown) => value === false && typeof defaults[name] !== 'boolean';
  const entries = Object.entries(options);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isUnset(name, value) ? defaults[name] : value]),
  );
}

// `delete` is a reserved word.
export const deleteCommand: CommandDefinition<{ readonly id?: string; readonly yes?: true }> = {
  configure: (command) =>
    command.addArgument(new AskedArgument('id', ID_DESCRIPTION)).option(...yesOption('Delete the endpoint')),
  examples: [
    ['Delete an endpoint and cancel its pending deliveries', 'webhooks delete wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  ],
  async run({ id, yes }, context) {
    const webhookId = id ?? (await askChoice(context, 'id', webhookChoices));
    const control = await context.connect();
    await confirm(context, `Delete ${webhookId} and cancel its pending deliveries?`, yes);
    const deleted = await control.deleteWebhook({ id: webhookId });
    const canceled = formatDeliveryCount(deleted.canceled_deliveries);
    context.print(deleted, () => `Deleted ${deleted.id} and canceled ${canceled}.`);
  },
};

export const rotateSecret: CommandDefinition<{ readonly id?: string; readonly overlap?: number }> = {
  configure: (command) =>
    command
      .addArgument(new AskedArgument('id', ID_DESCRIPTION))
      .optionWithDefault(
        '--overlap <duration>',
        'How long deliveries are signed with both secrets',
        '24h',
        parseDurationMs,
      ),
  examples: [
    [
      'Rotate the secret and sign with both for one hour',
      'webhooks rotate-secret wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --overlap 1h',
    ],
  ],
  async run({ id, overlap }, context) {
    const webhookId = id ?? (await askChoice(context, 'id', webhookChoices));
    const control = await context.connect();
    const webhook = await control.rotateWebhookSecret({
      id: webhookId,
      overlap_ms: overlap,
    });
    context.print(webhook, () => renderWebhook(webhook, context.io));
    noteSecret(webhook, context.io);
  },
};

/** The public API shows a secret only once. */
function noteSecret({ id }: Pick<Webhook, 'id'>, { note }: NoteOutput): void {
  note(`Show the secret again with: svc webhooks get ${id} --show-secret`);
}

/**
 * Renders the fields that the response has.
 * @param scheduleTime current schedule time of its workspace; if undefined, the creation time is printed without its age
 */
export function renderWebhook(
  webhook: Webhook &
    Partial<WebhookDetail> &
    Partial<CreatedWebhook> & { readonly previous_secret?: string | null },
  capabilities: { readonly color: boolean },
  scheduleTime?: number,
): string {
  const { previous_secret: previousSecret, previous_secret_expires_at: previousExpiry } = webhook;
  const settings = Object.entries(describeWebhook(webhook)).map(([label, lines]) => [
    label,
    lines.join(', ') || null,
  ]);
  return renderFields(
    {
      ID: webhook.id,
      ...Object.fromEntries(settings),
      Lifetime: webhook.listener ? 'until svc listen exits' : null,
      Secret: webhook.secret ?? null,
      'Previous secret': previousExpiry
        ? `${previousSecret ? `${previousSecret}, ` : ''}valid until ${previousExpiry}`
        : null,
      Workspace: webhook.workspace_id,
      Created: scheduleTime === undefined ? webhook.created_at : formatTime(webhook.created_at, scheduleTime),
    },
    capabilities,
  );
}
