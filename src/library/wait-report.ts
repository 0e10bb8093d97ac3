/** What happened instead of what somebody waited for: readable where a test runner shows nothing but the message. */
import type { Event, Page, WebhookDetail } from '../contract/resources.ts';
import { describeDelivery } from '../control/describe-delivery.ts';
import { listAll } from '../control/list-all.ts';
import type { WaitCondition, WaitResult } from '../control/wait.ts';
import { formatDuration } from '../domain/duration.ts';
import { isSubscribedTo } from '../domain/event.ts';
import { requestJson } from './api-request.ts';
import type { WorkspaceSetup } from './workspace.ts';

/** More of a kind than these explain nothing. */
const MOST = 10;

export interface WaitReport {
  readonly message: string;
  readonly hint: { readonly hint?: string };
}

/** The whole story of a wait that was not granted, and the next step where one is clear. */
export async function createWaitReport(
  setup: WorkspaceSetup,
  wish: WaitCondition,
  outcome: WaitResult,
  timeoutMs: number,
): Promise<WaitReport> {
  const clock = await setup.control.getClock({ workspace_id: setup.workspaceId });
  const scene = { ...setup, wish, outcome, clock: { ...clock, at: Date.parse(clock.now) } };
  const [deliveries, events, hints] = await Promise.all([
    describeDeliveries(scene),
    describeEvents(scene),
    listHints(scene),
  ]);
  const lines = [...deliveries, ...events, ...hints].map((line) => `  ${line}`);
  return {
    message: [toHeadline(wish, outcome, timeoutMs), ...lines].join('\n'),
    hint: hints.length === 0 ? {} : { hint: hints.join(' ') },
  };
}

interface Scene extends WorkspaceSetup {
  readonly wish: WaitCondition;
  readonly outcome: WaitResult;
  readonly clock: { readonly at: number; readonly rate: number };
}

/** `0 of 2 deliveries of order.shipped succeeded within 4s.` */
function toHeadline(
  { filter, status, count }: WaitCondition,
  outcome: WaitResult,
  timeoutMs: number,
): string {
  const { type, event_id: event, webhook_id: webhook } = filter;
  const wanted = count ?? Math.max(1, outcome.open.length + outcome.done.length + outcome.wrong.length);
  const kind = [
    ...(type === undefined ? [] : [`of ${type}`]),
    ...(event === undefined ? [] : [`of ${event}`]),
    ...(webhook === undefined ? [] : [`to ${webhook}`]),
    status ?? 'settled',
  ].join(' ');
  const deliveries = wanted === 1 ? 'delivery' : 'deliveries';
  const [wrong] = outcome.wrong;
  const limit = outcome.isPaused ? ': the rest is paused' : ` within ${formatDuration(timeoutMs)}`;
  const end = wrong === undefined ? limit : `: one ${wrong.status}`;
  return `${outcome.done.length} of ${wanted} ${deliveries} ${kind}${end}.`;
}

async function describeDeliveries({ control, outcome, clock }: Scene): Promise<string[]> {
  const unwanted = [...outcome.wrong, ...outcome.open];
  const details = await Promise.all(unwanted.slice(0, MOST).map(({ id }) => control.getDelivery({ id })));
  const told = details.flatMap((detail) => [
    describeDelivery(detail, clock.at),
    // Of a single attempt that line has told all.
    ...(detail.attempts.length === 1 ? [] : detail.attempts).map(
      ({ number, outcome: end, response_status: status, duration_ms: ms }) =>
        `  attempt ${number}: ${end}${status === null ? '' : ` ${status}`} after ${formatDuration(ms)}`,
    ),
  ]);
  return unwanted.length > MOST ? [...told, `… and ${unwanted.length - MOST} more deliveries.`] : told;
}

/** What events there were, where it is deliveries that are missing. */
async function describeEvents(scene: Scene): Promise<string[]> {
  const { outcome, wish, control } = scene;
  if (outcome.open.length + outcome.wrong.length > 0 || wish.filter.event_id !== undefined) return [];
  const { type } = wish.filter;
  const events = await listEvents(scene);
  const matching = events.filter((event) => type === undefined || event.type === type);
  const undelivered = await Promise.all(
    matching.slice(0, MOST).map(async ({ id, type }) => {
      const { data } = await control.listDeliveries({ event_id: id, limit: 1 });
      return data.length === 0 ? [`${id} ${type} was created, and has no delivery.`] : [];
    }),
  );
  const others = [...new Set(events.map((event) => event.type))].filter((other) => other !== type);
  return [
    ...undelivered.flat(),
    ...(matching.length === 0
      ? [type === undefined ? 'No event was created.' : `No event of ${type} was created.`]
      : []),
    ...(others.length === 0 || matching.length > 0 ? [] : [`There were events of ${others.join(', ')}.`]),
    ...(await describeRejectedRequests(scene)),
  ];
}

/** The newest events; none where the key is refused or the rate is limited, for that is not what went wrong. */
async function listEvents(scene: Scene): Promise<Event[]> {
  const list = `/v1/events?${new URLSearchParams({ [scene.workspaceParameter]: scene.workspaceId })}`;
  const page = await requestJson<Page<Event>>(scene, list).catch(() => null);
  return page?.data ?? [];
}

/** Requests for events that the API refused. */
export async function describeRejectedRequests({
  control,
  workspaceId,
}: Pick<WorkspaceSetup, 'control' | 'workspaceId'>): Promise<string[]> {
  const { data } = await control.listRequests({
    ...{ workspace_id: workspaceId, method: 'POST', path: '/v1/events', limit: 1000 },
  });
  const refused = data.filter(({ status }) => status >= 400);
  const kinds = new Set(refused.map(({ status, error_code: code }) => `${status} ${code}`));
  return [...kinds].map((kind) => `POST /v1/events was refused: ${kind}.`);
}

async function listHints(scene: Scene): Promise<string[]> {
  const { control, workspaceId, outcome, wish } = scene;
  const waiting = outcome.open.flatMap(({ next_attempt_at: at }) => (at === null ? [] : [Date.parse(at)]));
  const hints = [
    ...hintAtPaused(outcome),
    ...(waiting.length > 0 ? hintAtTime(Math.min(...waiting), scene) : []),
  ];
  if (hints.length > 0) return hints;
  if (outcome.wrong.length > 0) return [];
  const webhooks = await listAll((page) => control.listWebhooks({ ...page, workspace_id: workspaceId }));
  return hintAtEndpoints(webhooks, wish.filter.type);
}

/** How to enable the endpoints that paused deliveries go to. */
function hintAtPaused({ open }: WaitResult): string[] {
  const disabled = new Set(open.filter(({ paused }) => paused).map(({ webhook_id: id }) => id));
  return [...disabled]
    .slice(0, MOST)
    .map((id) => `${id} is disabled: webhooks.update('${id}', { disabled: false }) enables it.`);
}

function hintAtTime(nextAt: number, { clock }: Scene): string[] {
  const distance = nextAt - clock.at;
  if (distance <= 0) return ['It is being sent: the receiver has not answered yet.'];
  const advance = `clock.advance('${formatDuration(Math.ceil(distance / 1000) * 1000)}') sends the next attempt.`;
  return [clock.rate === 0 ? `The clock is frozen: ${advance}` : `It runs at ${clock.rate}: ${advance}`];
}

function hintAtEndpoints(webhooks: readonly WebhookDetail[], type: string | undefined): string[] {
  if (webhooks.length === 0) return ['There is no endpoint: webhooks.create({ url }) registers one.'];
  const off = webhooks.filter(({ disabled }) => disabled).map(({ id }) => `${id} is disabled.`);
  if (type === undefined || webhooks.some(({ events }) => isSubscribedTo(events, type))) return off;
  const others = webhooks.map(({ id, events }) => `${id} takes ${events.join(', ')}`);
  return [`No endpoint is subscribed to ${type}: ${others.slice(0, MOST).join('; ')}.`, ...off];
}
