/** What events, workspaces and webhook endpoints are made of, and what is accepted as one. */

import type { Gap } from '../gap.ts';
import { oneOf } from '../value-schema.ts';

export const resourceGaps = {
  'event.body': {
    question: 'Which fields has the body of `POST /events`, and which of them carries the payload?',
    references: ['§4.4'],
    reason:
      'The least that an event needs: `type` (required, `<noun>.<verb>`), the payload (a JSON object, `{}` when left out) and `workspace_id` (that of the key when left out).',
    schema: oneOf({ payload: 'the member `payload`', data: 'the member `data`' }),
    relaxed: 'payload',
  },
  'event.record': {
    question: 'Which fields has an event?',
    references: ['§2.event.fields'],
    reason: 'What was sent, who it belongs to and when it was created.',
    answer: '`id`, `workspace_id`, `type`, `payload`, `created_at`',
  },
  'workspace.record': {
    question: 'Which fields has a workspace?',
    references: ['§2.workspace.fields'],
    reason: 'Enough to tell one from another, and sandbox from production.',
    answer: '`id`, `name`, `environment`, `created_at`',
  },
  'webhook.record': {
    question: 'Which further fields has a webhook endpoint?',
    references: ['§2.webhook.fields', '§2.webhook.secret'],
    reason: 'The described four and the time; the secret is shown once, as described.',
    answer: '`id`, `workspace_id`, `url`, `events`, `created_at`, and `secret` in the creation response only',
  },
  'webhook.operations': {
    question: 'Which other webhook operations are there?',
    references: ['§4.6'],
    reason:
      'A client that uses an operation which is not described would fail in production. People still need them in development.',
    answer:
      'none on `/v1`: `GET /webhooks` is 405, `/webhooks/{id}` is 404. The control plane (`svc webhooks`, the dashboard) lists, retrieves, changes, disables and deletes endpoints and rotates their secrets',
  },
  envelope: {
    question: 'Which members has the delivery envelope besides `data`?',
    references: ['§2.envelope', '§2.envelope.fields'],
    reason:
      'A receiver routes by type before it looks at the data. The body is written once, when the event is created, so that every attempt and every replay sends the same bytes.',
    answer: '`type`, `workspace_id` and `created_at`; `data` is the event record',
  },
  'event.catalogue': {
    question: 'Which event types exist?',
    references: ['§6.gaps.catalogue', '§2.webhook.events'],
    reason: 'On a laptop the type is your own; the strict profile finds the misspelt one.',
    schema: oneOf({
      open: 'any type of the form `<noun>.<verb>`; the fixtures are samples',
      closed: 'only types that have a fixture',
    }),
    relaxed: 'open',
    strict: 'closed',
  },
  'event.emission': {
    question: 'Which operation emits which event?',
    references: ['§6.gaps.catalogue', '§6.delivery'],
    reason: 'No other operation is described as causing one.',
    answer: '`POST /events` emits the event that it creates; nothing else emits',
  },
  'webhook.url': {
    question: 'Which endpoint URLs are accepted?',
    references: ['§2.webhook.url', '§6.registration.url'],
    reason:
      'The description asks for public HTTPS, and production gets it. A receiver in development listens on plain HTTP at localhost.',
    schema: oneOf({
      local: 'HTTPS anywhere; HTTP only to loopback and private addresses',
      public: 'HTTPS to publicly reachable addresses only',
    }),
    relaxed: 'local',
    strict: 'public',
    production: 'public',
  },
  'webhook.wildcard': {
    question: 'Is a subscription to `*` accepted?',
    references: ['§2.webhook.wildcard', '§6.registration.wildcard'],
    reason: 'It is discouraged in production, so production refuses it; while exploring it is handy.',
    schema: oneOf({
      accepted: 'everywhere',
      rejected_in_production: 'in the sandbox environment only',
      rejected: 'nowhere',
    }),
    relaxed: 'accepted',
    strict: 'rejected_in_production',
    production: 'rejected_in_production',
  },
} satisfies Record<string, Gap>;
