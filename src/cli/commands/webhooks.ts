/** `svc webhooks`: lists, shows, creates, updates and deletes endpoints, and rotates their secrets. */

import { SvcError } from '../../domain/errors.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import type { ControlInput } from '../../operations/control-operations.ts';
import { mapValues } from '../../resources/define-resource.ts';
import {
  type CreatedWebhook,
  describeEndpoint,
  endpointDefaults,
  type Webhook,
  type WebhookDetail,
} from '../../resources/endpoint.ts';
import { webhookChoices } from '../choices/resource-choices.ts';
import type { CommandGroup, OptionRow } from '../command.ts';
import { warnAboutMistypedTypes } from '../endpoint-warnings.ts';
import { operation } from '../operation-command.ts';
import { workspaceRow } from '../option-rows.ts';
import { formatTime } from '../render/format.ts';
import { renderFields } from '../render/table.ts';
import { endpointRows } from '../resource-rows.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';

type Change = Omit<ControlInput<'updateWebhook'>, 'id'>;

/** A setting is false with `--no-…`, which sets its default. */
type UpdateOptions = { readonly [Name in keyof Change]?: Change[Name] | false } & {
  readonly id: string;
  readonly enable?: true;
};

function toChange({ enable, ...options }: UpdateOptions): Change {
  const defaults: Readonly<Record<string, unknown>> = endpointDefaults;
  const isUnset = (name: string, value: unknown) => value === false && typeof defaults[name] !== 'boolean';
  const entries = Object.entries(enable ? { ...options, disabled: false } : options);
  if (entries.every(([name]) => name === 'id')) {
    throw new SvcError('usage', 'Nothing to update: no option was passed.', {
      hint: { text: 'Show the options', command: 'svc webhooks update --help' },
    });
  }
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isUnset(name, value) ? defaults[name] : value]),
  );
}

const idRow = { argument: '<id>', summary: 'Endpoint ID (wh_…)', source: webhookChoices } as const;

const { url, events, disabled, ...otherSettings } = endpointRows;
const changeRows = {
  url,
  events: {
    ...events,
    optionSummary: 'Event types that replace the current ones, separated by commas, or * for all',
  },
  ...mapValues<OptionRow, typeof otherSettings>(otherSettings, (row) => ({ ...row, negatable: true })),
  disabled: { ...disabled, conflicts: ['enable'] },
  enable: {
    option: '--enable',
    summary: 'Send paused deliveries, and create deliveries for new events',
  },
} as const;

export const command: CommandGroup = {
  commands: {
    list: operation('listWebhooks', {
      summary: 'List endpoints, newest first',
      options: {
        workspace_id: { option: '--workspace <id>', summary: 'Only list endpoints in this workspace' },
      },
      list: webhookChoices,
      examples: [['List the endpoints of all workspaces', 'webhooks list']],
    }),
    get: operation('getWebhook', {
      summary: 'Show an endpoint',
      options: {
        id: idRow,
        showSecret: {
          option: '--show-secret',
          summary: 'Also show the secret, and the previous one after a rotation',
        },
      },
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
    create: operation('createWebhook', {
      summary: 'Register an endpoint',
      options: {
        ...endpointRows,
        url: { ...url, ask: true },
        events: { ...events, ask: true },
        workspace_id: workspaceRow,
      },
      render: (webhook, { io }) => renderWebhook(webhook, io),
      note: describeSecretCommand,
      warn: ({ events }, _, context) => warnAboutMistypedTypes(events, context),
      examples: [
        [
          'Deliver one event type to a local port',
          'webhooks create --url 3000/webhooks --events order.shipped',
        ],
      ],
    }),
    update: operation('updateWebhook', {
      summary: 'Update an endpoint',
      options: { id: idRow, ...changeRows },
      input: toChange,
      render: (webhook, { io }) => renderWebhook(webhook, io),
      warn: (_, { events = [] }, context) => warnAboutMistypedTypes(events, context),
      examples: [
        [
          'Deliver to another port',
          'webhooks update wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --url http://localhost:4000/hooks',
        ],
        ['Disable an endpoint', 'webhooks update wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --disable'],
      ],
    }),
    delete: operation('deleteWebhook', {
      summary: 'Delete an endpoint',
      options: { id: idRow },
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
      options: {
        id: idRow,
        overlap_ms: {
          option: '--overlap <duration>',
          summary: 'How long deliveries are signed with both secrets',
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
