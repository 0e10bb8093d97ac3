/** Schemas of the overview and the endpoint pages: aggregates that the emulator computes from deliveries and attempts. */
import * as v from 'valibot';
import { AttemptSummary } from '../resources/attempt.ts';
import { statusCounts } from '../resources/delivery-counts.ts';
import { WebhookDetail } from '../resources/endpoint.ts';
import { Fault } from '../resources/fault.ts';
import { Count, described, idOf, resource, Timestamp, Url } from '../resources/values.ts';

const { succeeded: _, ...countsWithoutSucceeded } = statusCounts;
export const DeliveryStatusCounts = resource(
  'Number of deliveries that have not succeeded, by status. Each count stops at 1,000.',
  countsWithoutSucceeded,
);

export const ScheduleMark = resource(
  'Deliveries to an endpoint that were or are due at about the same time.',
  {
    webhook_id: described('ID of the endpoint.', idOf('webhook')),
    first_at: described('Schedule time at which the first of the attempts was or is due.', Timestamp),
    last_at: described('Schedule time at which the last of the attempts was or is due.', Timestamp),
    deliveries: described('Number of deliveries with these attempts.', Count),
    succeeded: described('Number of attempts that succeeded.', Count),
    failed: described('Number of attempts that failed.', Count),
    due: described('Number of scheduled attempts.', Count),
    due_first: described('Number of these that are the first of their delivery.', Count),
  },
);

export const Schedule = resource('The past and the scheduled attempts of a workspace.', {
  workspace_id: described('ID of the workspace.', idOf('workspace')),
  at: described('Schedule time that the marks are grouped around.', Timestamp),
  marks: described(
    'Attempts since 72 hours before `at`, at most the newest 10,000 of each endpoint, and scheduled attempts, by endpoint and time. Marks farther from `at` cover more time.',
    v.array(ScheduleMark),
  ),
});

/** Results of the newest attempts to an endpoint. */
const attemptResults = {
  attempts: described('Number of attempts, at most 100.', Count),
  succeeded: described('Number of these attempts that succeeded.', Count),
  p50_ms: described(
    'Median duration of these attempts in milliseconds. `null` without attempts.',
    v.nullable(v.number()),
  ),
};

export const EndpointSummary = resource('An endpoint, and the results of its newest 100 attempts.', {
  webhook_id: described('ID of the endpoint.', idOf('webhook')),
  url: described('URL that deliveries are sent to.', Url),
  disabled: described('Whether the endpoint is disabled.', v.boolean()),
  ...attemptResults,
  failing: described('Whether a pending delivery to it is failing.', v.boolean()),
  last_failure: described('Newest failure among these attempts, or `null`.', v.nullable(AttemptSummary)),
});

export const WebhookStatistics = resource('The results of the newest 100 attempts to an endpoint.', {
  ...attemptResults,
  p95_ms: described(
    'Duration that 95% of these attempts did not exceed, in milliseconds. `null` without attempts.',
    v.nullable(v.number()),
  ),
});

export const WebhookWithStatistics = resource('A webhook endpoint with the results of its newest attempts.', {
  ...WebhookDetail.entries,
  statistics: described('Results of the newest attempts.', WebhookStatistics),
});

export const Overview = resource('The deliveries of a workspace at a glance.', {
  workspace_id: described('ID of the workspace.', idOf('workspace')),
  has_deliveries: described('Whether the workspace has deliveries.', v.boolean()),
  delivery_counts: described('Deliveries that have not succeeded.', DeliveryStatusCounts),
  endpoints: described('Endpoints of the workspace, newest first. At most 100.', v.array(EndpointSummary)),
  has_more_endpoints: described('Whether the workspace has more endpoints.', v.boolean()),
  faults: described('Faults that still apply to this workspace, oldest first. At most 20.', v.array(Fault)),
});

export type ScheduleMark = v.InferOutput<typeof ScheduleMark>;
export type Schedule = v.InferOutput<typeof Schedule>;
export type DeliveryStatusCounts = v.InferOutput<typeof DeliveryStatusCounts>;
export type EndpointSummary = v.InferOutput<typeof EndpointSummary>;
export type WebhookStatistics = v.InferOutput<typeof WebhookStatistics>;
export type WebhookWithStatistics = v.InferOutput<typeof WebhookWithStatistics>;
export type Overview = v.InferOutput<typeof Overview>;
