/** Replays the deliveries that a filter selects: names the endpoints and the counts, asks, and shows the progress and the results. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { describeOutcome } from '../../../domain/delivery.ts';
import { formatDeliveryCount } from '../../../domain/message-parts.ts';
import type { ControlInput } from '../../../operations/control-operations.ts';
import { listAll } from '../../../operations/control-plane.ts';
import {
  DEFAULT_REPLAY_RATE,
  type ReplayOutcomes,
  replayDeliveries,
} from '../../../operations/replay-deliveries.ts';
import { type Delivery, deliveryFilters } from '../../../resources/delivery.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { describeFilterValue } from '../../filters.ts';
import { showToast } from '../../toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { Properties } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { MAX_PAGE_SIZE } from '../../use-live-list.ts';
import { useQuery } from '../../use-query.ts';

/** The filter of the delivery list. */
export type DeliverySelection = Omit<ControlInput<'listDeliveries'>, 'limit' | 'starting_after'>;

interface Props {
  readonly filter: DeliverySelection;
  readonly onClose: () => void;
}

export function BulkReplayDialog({ filter, onClose }: Props) {
  const query = useQuery(() => listAll((page) => control.listDeliveries({ ...filter, ...page })), []);
  return (
    <Dialog title="Replay all matches" onClose={onClose}>
      <QueryView query={query} what="the deliveries">
        {(deliveries) => <BulkReplay filter={filter} deliveries={deliveries} onClose={onClose} />}
      </QueryView>
    </Dialog>
  );
}

/** The filters, and the number of deliveries to each endpoint. */
function describeSelection(filter: DeliverySelection, deliveries: readonly Delivery[]) {
  const filters = Object.entries(filter).flatMap(([name, value]) => {
    if (value === undefined || name === 'workspace_id' || name === 'webhook_id') return [];
    return [
      [deliveryFilters[name as keyof typeof deliveryFilters].label, describeFilterValue(name, String(value))],
    ];
  });
  const urls = [...new Set(deliveries.map(({ url }) => url))];
  const endpoints = urls.map((url) => (
    <div key={url}>
      {url}{' '}
      <span class="muted">
        {formatDeliveryCount(deliveries.filter((delivery) => delivery.url === url).length)}
      </span>
    </div>
  ));
  return { ...Object.fromEntries(filters), [urls.length === 1 ? 'Endpoint' : 'Endpoints']: endpoints };
}

interface BulkReplayProps extends Props {
  readonly deliveries: readonly Delivery[];
}

function BulkReplay({ filter, deliveries: loaded, onClose }: BulkReplayProps) {
  // The list is loaded again after a lost connection.
  const [deliveries] = useState(loaded);
  const [abortController] = useState(() => new AbortController());
  const [outcomes, setOutcomes] = useState<ReplayOutcomes>({ replays: [], refused: [] });
  const [isStarted, setStarted] = useState(false);
  useEffect(() => () => abortController.abort(), []);
  const { signal } = abortController;
  const form = useFormSubmit([], async () => {
    setStarted(true);
    const ids = deliveries.map(({ id }) => id);
    let doneCount = 0;
    const onOutcome = (current: ReplayOutcomes) => {
      doneCount++;
      setOutcomes({ ...current });
    };
    await replayDeliveries(ids, {}, control, {
      perSecond: DEFAULT_REPLAY_RATE,
      signal,
      onOutcome,
    }).catch((error) => {
      if (!signal.aborted) throw error;
      const rest = ids.length - doneCount;
      const total = formatDeliveryCount(ids.length);
      if (rest > 0) showToast(`The replay was stopped: ${rest} of ${total} not sent again.`);
    });
  });
  const selection = <Properties items={describeSelection(filter, deliveries)} />;
  if (isStarted) {
    return (
      <BulkProgress
        selection={selection}
        count={deliveries.length}
        outcomes={outcomes}
        error={form.error?.message}
        onClose={onClose}
      />
    );
  }
  return (
    <Form form={form} action={`Replay ${formatDeliveryCount(deliveries.length)}`} onClose={onClose}>
      {selection}
    </Form>
  );
}

/** Limit for the list of replays that did not succeed. */
const MAX_LISTED = 50;

/** The current state of deliveries. */
async function loadDeliveries(deliveries: readonly Delivery[]): Promise<Delivery[]> {
  const loaded: Delivery[] = [];
  for (let start = 0; start < deliveries.length; start += MAX_PAGE_SIZE) {
    const ids = deliveries.slice(start, start + MAX_PAGE_SIZE).map(({ id }) => id);
    loaded.push(...(await control.waitForDeliveries({ ids, timeout_ms: 0 })).data);
  }
  return loaded;
}

interface BulkProgressProps {
  readonly selection: ComponentChildren;
  readonly count: number;
  readonly outcomes: ReplayOutcomes;
  readonly error: string | undefined;
  readonly onClose: () => void;
}

function BulkProgress({ selection, count, outcomes, error, onClose }: BulkProgressProps) {
  const { replays, refused } = outcomes;
  const unsent = count - replays.length - refused.length;
  const isSending = unsent > 0 && error === undefined;
  const { value: current = [] } = useQuery(() => loadDeliveries(replays), [], { isLive: true });
  const deliveries = new Map(current.map((delivery) => [delivery.id, delivery]));
  const results = replays.flatMap(({ id, attempt_count: before }) => {
    const attempt = deliveries.get(id)?.last_attempt;
    return attempt && attempt.number > before ? [{ id, attempt }] : [];
  });
  const failures = results.filter(({ attempt }) => attempt.outcome !== 'succeeded');
  const waiting = replays.length - results.length;
  const problems = [
    ...refused.map(({ id, error }) => ({ id, problem: error.message })),
    ...failures.map(({ id, attempt }) => ({ id, problem: describeOutcome(attempt) })),
  ];
  return (
    <>
      {selection}
      <progress aria-label="Replays that have a result" max={count} value={count - unsent - waiting} />
      <p role="status">
        {results.length - failures.length} of {count} succeeded.
        {problems.length > 0 && ` ${problems.length} failed.`}
        {waiting > 0 && ` ${waiting} waiting for a response.`}
        {unsent > 0 && ` ${unsent} not sent${isSending ? ' yet' : ''}.`}
      </p>
      {error !== undefined && (
        <p data-state="failed" role="alert">
          {error}
        </p>
      )}
      {problems.length > 0 && (
        <ul class="list">
          {problems.slice(0, MAX_LISTED).map(({ id, problem }) => (
            <li class="row" key={id}>
              <a href={toHash({ section: 'deliveries', id })}>
                <code>{id}</code>
              </a>
              <p>{problem}</p>
            </li>
          ))}
        </ul>
      )}
      {problems.length > MAX_LISTED && <p class="muted">and {problems.length - MAX_LISTED} more</p>}
      <div class="row">
        <button type="button" onClick={onClose}>
          {isSending ? 'Stop' : 'Close'}
        </button>
      </div>
    </>
  );
}
