/** Gaps about events, workspaces and webhook endpoints. */

import { Webhook } from '../../resources/endpoint.ts';
import { Event } from '../../resources/event.ts';
import { wholeNumber } from '../../resources/value-schemas.ts';
import { Workspace } from '../../resources/workspace.ts';
import { formatNames, type Gap } from '../gap.ts';
import { oneOf } from '../gap-schemas.ts';

export const resourceGaps = {
  'event.body': {
    question: 'Which fields does the body of `POST /events` have, and which one carries the payload?',
    references: ['§4.4'],
    reason:
      'An event needs only `type` (required, `<noun>.<verb>`), the payload (a JSON object, default: `{}`) and `workspace_id` (default: the workspace of the key).',
    schema: oneOf({ payload: 'the field `payload`', data: 'the field `data`' }),
    relaxed: 'payload',
  },
  'event.record': {
    question: 'Which fields does an event have?',
    references: ['§2.event.fields'],
    reason: 'The fields show what was sent, which workspace the event belongs to, and when it was created.',
    answer: formatNames(Event.entries),
  },
  'workspace.record': {
    question: 'Which fields does a workspace have?',
    references: ['§2.workspace.fields'],
    reason: 'These fields are enough to identify a workspace and its environment.',
    answer: formatNames(Workspace.entries),
  },
  'webhook.record': {
    question: 'Which other fields does a webhook endpoint have?',
    references: ['§2.webhook.fields', '§2.webhook.secret'],
    reason:
      'An endpoint has the described fields and its creation time. The secret is shown only once, as described.',
    answer: `${formatNames(Webhook.entries)}, and \`secret\` in the creation response only`,
  },
  'webhook.operations': {
    question: 'Which other webhook operations exist?',
    references: ['§4.6'],
    reason:
      'A client that uses an undescribed operation would fail in production. During development, you still need these operations.',
    answer:
      'none under `/v1`: `GET /webhooks` returns 405, and `/webhooks/{id}` returns 404. The control plane (`svc webhooks`, the dashboard) lists, retrieves, updates, disables and deletes endpoints and rotates their secrets',
  },
  envelope: {
    question: 'Which fields does the delivery envelope have besides `data`?',
    references: ['§2.envelope', '§2.envelope.fields'],
    reason:
      'With `type`, a receiver can choose a handler before it reads the data. Every attempt and every replay sends the same bytes.',
    answer: '`type`, `workspace_id` and `created_at`; `data` is the event record',
  },
  'event.catalog': {
    question: 'Which event types exist?',
    references: ['§6.gaps.catalog', '§2.webhook.events'],
    reason: 'During development, you choose your own types. The strict profile rejects misspelled types.',
    schema: oneOf({
      open: 'any type of the form `<noun>.<verb>`; the fixtures are examples',
      closed: 'only types that have a fixture when the emulator starts',
    }),
    relaxed: 'open',
    strict: 'closed',
  },
  'event.emission': {
    question: 'Which operations emit events?',
    references: ['§6.gaps.catalog', '§6.delivery'],
    reason: 'The description mentions no other operation that emits an event.',
    answer: '`POST /events` emits the event that it creates; no other operation emits one',
  },
  'webhook.limit': {
    question: 'How many webhook endpoints can a workspace have?',
    references: ['§2.webhook.fields'],
    reason:
      'Other webhook providers have such a limit. With it, an event and all its deliveries are one transaction. At the limit, `POST /webhooks` returns 422.',
    schema: wholeNumber(1, 1_000),
    relaxed: 100,
  },
  'webhook.url': {
    question: 'Which endpoint URLs are accepted?',
    references: ['§2.webhook.url', '§6.registration.url'],
    reason:
      'The description requires public HTTPS, and the production environment enforces it. During development, receivers usually listen on plain HTTP at localhost.',
    schema: oneOf({
      local:
        'HTTPS to any address that is not blocked; HTTP only to loopback and private addresses, to which a host name must resolve',
      public: 'only HTTPS to publicly reachable addresses',
    }),
    relaxed: 'local',
    strict: 'public',
    production: 'public',
  },
  'webhook.wildcard': {
    question: 'Is a subscription to `*` accepted?',
    references: ['§2.webhook.wildcard', '§6.registration.wildcard'],
    reason:
      'The description discourages `*` in production, so the production environment rejects it. During development, `*` is useful to explore the API.',
    schema: oneOf({
      accepted: 'in both environments',
      rejected_in_production: 'only in the sandbox environment',
      rejected: 'in neither environment',
    }),
    relaxed: 'accepted',
    strict: 'rejected_in_production',
    production: 'rejected_in_production',
  },
} satisfies Record<string, Gap>;
