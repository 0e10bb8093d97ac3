/** `svc webhooks`: lists, shows, creates, updates and deletes endpoints, and rotates their secrets. */

import { SvcError } from '../../domain/errors.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import type { ControlInput } from '../../operations/control-operations.ts';
import {
  type CreatedWebhook,
  describeEndpoint,
  endpointDefaults,
  publicEndpointFields,
  type Webhook,
  type WebhookDetail,
} from '../../resources/endpoint.ts';
import { eventTypeChoices } from '../choices/fixture-choices.ts';
import { webhookChoices } from '../choices/resource-choices.ts';
import { AskedArgument, type CommandDefinition, type CommandGroup } from '../command.ts';
import { rejectOwnUrl, warnAboutMistypedTypes, warnIfDeliveredTwice } from '../endpoint-warnings.ts';
import { addOptions, createEndpointOptions, createNegation } from '../field-option.ts';
import { operation } from '../operation-command.ts';
import { addWorkspaceOption, parseWebhookUrl } from '../option-parsers.ts';
import { askChoice, askText } from '../prompt.ts';
import { formatTime } from '../render/format.ts';
import { renderFields } from '../render/table.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';

const ID_DESCRIPTION = 'Endpoint ID (wh_…)';

type Change = Omit<ControlInput<'updateWebhook'>, 'id'>;
type CreateOptions = Partial<Pick<Change, keyof typeof publicEndpointFields>> & {
  readonly workspace?: string;
};

const create: CommandDefinition<CreateOptions> = {
  configure: (command) =>
    addWorkspaceOption(addOptions(command, createEndpointOptions(), Object.keys(publicEndpointFields))),
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
    const api = await context.connectApi();
    const input = { workspace_id: workspaceId, ...settings, url, events };
    const { value: webhook, text } = await api.createWebhook(input);
    context.printJsonText(text, () => renderWebhook(webhook, context.io));
    context.io.note(describeSecretCommand(webhook));
    await warnAboutMistypedTypes(webhook.events, context);
    await warnIfDeliveredTwice(webhook, await context.connect(), context.io);
  },
};

/** A setting is false with `--no-…`. */
type UpdateOptions = { readonly [Name in keyof Change]?: Change[Name] | false } & {
  readonly id?: string;
  readonly enable?: true;
};

const update: CommandDefinition<UpdateOptions> = {
  configure: (command) => {
    const { url, events, disabled, ...others } = createEndpointOptions();
    events.description = 'Event types that replace the current ones, separated by commas, or * for all';
    addOptions(command.addArgument(new AskedArgument('id', ID_DESCRIPTION, webhookChoices)), { url, events });
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
  const defaults: Readonly<Record<string, unknown>> = endpointDefaults;
  const isUnset = (name: string, value: unknown) => value === false && typeof defaults[name] !== 'boolean';
  const entries = Object.entries(options);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isUnset(name, value) ? defaults[name] : value]),
  );
}

const idField = { flags: '<id>', description: ID_DESCRIPTION, source: webhookChoices };

export const webhooks: CommandGroup = {
  examples: [
    ['Register an endpoint', 'webhooks create --url http://localhost:3000/webhooks --events order.shipped'],
    ['List the endpoints', 'webhooks list'],
  ],
  commands: {
    list: operation('listWebhooks', {
      summary: 'List endpoints, newest first',
      fields: {
        workspace_id: { flags: '--workspace <id>', description: 'Only list endpoints in this workspace' },
      },
      list: webhookChoices,
      examples: [
        ['List the endpoints of all workspaces', 'webhooks list'],
        ['Print the endpoints as JSON', 'webhooks list --json'],
      ],
    }),
    get: operation('getWebhook', {
      summary: 'Show an endpoint',
      fields: { id: idField },
      addOptions: (command) =>
        command.option('--show-secret', 'Also show the secret, and the previous one after a rotation'),
      async during(call, { id }, context, { showSecret }) {
        const webhook = await call;
        if (!showSecret) return webhook;
        return { ...webhook, ...(await (await context.connect()).revealSecret({ id })) };
      },
      async render(webhook, context) {
        const scheduleTimeOf = await fetchScheduleTimes([webhook], await context.connect(), context);
        return renderWebhook(webhook, context.io, scheduleTimeOf(webhook));
      },
      examples: [
        ['Show an endpoint', 'webhooks get wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
        ['Show its secret too', 'webhooks get wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --show-secret'],
      ],
    }),
    create: { summary: 'Register an endpoint', ...create },
    update: { summary: 'Update an endpoint', ...update },
    delete: operation('deleteWebhook', {
      summary: 'Delete an endpoint',
      fields: { id: idField },
      confirm: {
        action: 'Delete the endpoint',
        question: ({ id }) => `Delete ${id} and cancel its pending deliveries?`,
      },
      render: ({ id, canceled_deliveries: canceled }) =>
        `Deleted ${id} and canceled ${formatDeliveryCount(canceled)}.`,
      examples: [
        [
          'Delete an endpoint and cancel its pending deliveries',
          'webhooks delete wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
        ],
      ],
    }),
    'rotate-secret': operation('rotateWebhookSecret', {
      summary: 'Rotate an endpoint secret',
      fields: {
        id: idField,
        overlap_ms: {
          flags: '--overlap <duration>',
          description: 'How long deliveries are signed with both secrets',
          defaultText: '24h',
        },
      },
      render: (webhook, { io }) => renderWebhook(webhook, io),
      note: describeSecretCommand,
      examples: [
        [
          'Rotate the secret and sign with both for one hour',
          'webhooks rotate-secret wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --overlap 1h',
        ],
      ],
    }),
  },
};

/** The public API shows a secret only once. */
function describeSecretCommand({ id }: Pick<Webhook, 'id'>): string {
  return `Show the secret again with: svc webhooks get ${id} --show-secret`;
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
  const settings = Object.entries(describeEndpoint(webhook)).map(([label, lines]) => [
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
