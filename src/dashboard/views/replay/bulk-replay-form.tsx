import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { DEFAULT_REPLAY_RATE, type ReplayChanges } from '../../../client/replay.ts';
import { describeOutcome } from '../../../domain/delivery.ts';
import { toHash } from '../../address.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { describeFilter } from '../../ui/filter-text.ts';
import { Icon } from '../../ui/icon.tsx';
import { Properties } from '../../ui/properties.tsx';
import { EmptyState, QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { defaultOptions, isUrlValid, toReplayChanges } from './replay-options.ts';
import { ReplayOptionsForm } from './replay-options-form.tsx';
import {
  type BulkReplay,
  type DeliverySelection,
  describeRemaining,
  listDeliveryIds,
  useBulkReplay,
} from './use-bulk-replay.ts';

interface Props {
  readonly filter: DeliverySelection;
  readonly onClose: () => void;
}

const RATES = [5, 20, DEFAULT_REPLAY_RATE, 500];

/** Shows how many deliveries the filter selects, replays them after a confirmation, and shows the progress. */
export function BulkReplayForm({ filter, onClose }: Props) {
  const [count, setCount] = useState(0);
  const [abortController] = useState(() => new AbortController());
  const query = useQuery(() => listDeliveryIds(filter, abortController.signal, setCount), [filter]);
  useEffect(() => () => abortController.abort(), []);
  const { bulkReplay, start, stop } = useBulkReplay();
  if (bulkReplay !== null) {
    return <BulkReplayProgress {...bulkReplay} onStop={stop} onClose={onClose} />;
  }
  return (
    <div class="stack">
      <FilterProperties filter={filter} />
      <QueryView query={query} what={`deliveries (${count} so far)`}>
        {(ids) =>
          ids.length === 0 ? (
            <EmptyState>No deliveries match.</EmptyState>
          ) : (
            <Confirmation count={ids.length} onStart={(changes, rate) => start(ids, changes, rate)} />
          )
        }
      </QueryView>
    </div>
  );
}

function FilterProperties({ filter }: { readonly filter: DeliverySelection }) {
  const entries = Object.entries(filter).filter(
    ([name, value]) => name !== 'workspace_id' && value !== undefined,
  );
  if (entries.length === 0) return <p>All deliveries in the workspace.</p>;
  const items = entries.map(([name, value]) => {
    // The filters `webhook` and `response` of the list are `webhook_id` and `response_status` of the control plane.
    const { label, text } = describeFilter(name.replace(/_(?:id|status)$/, ''), String(value));
    return [label, text];
  });
  return <Properties items={Object.fromEntries(items)} />;
}

interface ConfirmationProps {
  readonly count: number;
  readonly onStart: (changes: ReplayChanges, perSecond: number) => void;
}

function Confirmation({ count, onStart }: ConfirmationProps) {
  const [options, setOptions] = useState(defaultOptions);
  const [rate, setRate] = useState(DEFAULT_REPLAY_RATE);
  const submit = (event: Event) => {
    event.preventDefault();
    onStart(toReplayChanges(options), rate);
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <ReplayOptionsForm options={options} onChange={setOptions} url="" isBulk />
      <label class="replay-rate">
        Rate limit
        <select value={rate} onChange={(event) => setRate(Number(event.currentTarget.value))}>
          {RATES.map((perSecond) => (
            <option key={perSecond} value={perSecond}>
              {perSecond} per second
            </option>
          ))}
        </select>
      </label>
      <div class="row">
        <ActionButton type="submit" class="primary" disabled={!isUrlValid(options)}>
          <Icon name="replay" /> Replay {count === 1 ? '1 delivery' : `${count} deliveries`}
        </ActionButton>
      </div>
    </form>
  );
}

/** Limit for the lists of failed and of rejected replays. */
const MAX_LISTED = 50;

interface BulkReplayProgressProps extends BulkReplay {
  readonly onStop: () => void;
  readonly onClose: () => void;
}

function BulkReplayProgress({ step, tally, error, onStop, onClose }: BulkReplayProgressProps) {
  const { totalCount, doneCount, waitingCount, succeededCount, failures, rejections } = tally;
  const isFinished = step !== 'requesting' && waitingCount === 0;
  return (
    <div class="stack">
      <progress aria-label="Completed replays" max={totalCount} value={doneCount} />
      <dl class="replay-counts">
        <Count name="done" count={`${doneCount} of ${totalCount}`} />
        <Count name="succeeded" count={succeededCount} kind="succeeded" />
        <Count name="failed" count={failures.length} kind="failed" />
        <Count name="rejected" count={rejections.length} kind="failed" />
        <Count name="in progress" count={waitingCount} kind="pending" />
      </dl>
      <p role="status">
        {step === 'requesting' && 'Replaying…'}
        {step === 'stopped' && `Stopped: ${describeRemaining(tally)}.`}
        {step === 'requested' && !isFinished && 'All replays have been requested. Waiting for responses.'}
        {step === 'requested' && isFinished && summarize(tally)}
      </p>
      {error !== null && (
        <p class="error-text" role="alert">
          {error}
        </p>
      )}
      <div class="row">
        {step === 'requesting' ? (
          <button type="button" class="danger" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="button" class="primary" onClick={onClose}>
            Close
          </button>
        )}
      </div>
      <LimitedList title="Failed" items={failures}>
        {({ delivery, attempt }) => (
          <li key={delivery.id}>
            <a href={toHash({ section: 'deliveries', id: delivery.id })} onClick={onClose}>
              <code>{delivery.id}</code>
            </a>{' '}
            {attempt === null ? 'canceled before it was sent' : describeOutcome(attempt)}
          </li>
        )}
      </LimitedList>
      <LimitedList title="Rejected" items={rejections}>
        {({ id, error: { message } }) => (
          <li key={id}>
            <a href={toHash({ section: 'deliveries', id })} onClick={onClose}>
              <code>{id}</code>
            </a>{' '}
            {message}
          </li>
        )}
      </LimitedList>
    </div>
  );
}

function summarize({ totalCount, succeededCount }: BulkReplay['tally']): string {
  if (totalCount === 1) return succeededCount === 1 ? 'The replay succeeded.' : 'The replay did not succeed.';
  return succeededCount === totalCount
    ? `All ${totalCount} succeeded.`
    : `${succeededCount} of ${totalCount} succeeded.`;
}

interface CountProps {
  readonly name: string;
  readonly count: number | string;
  readonly kind?: string;
}

function Count({ name, count, kind = '' }: CountProps) {
  return (
    <div class={`notice ${count === 0 ? '' : kind}`}>
      <dt>{name}</dt>
      <dd>{count}</dd>
    </div>
  );
}

interface LimitedListProps<Item> {
  readonly title: string;
  readonly items: readonly Item[];
  readonly children: (item: Item) => ComponentChildren;
}

function LimitedList<Item>({ title, items, children }: LimitedListProps<Item>) {
  if (items.length === 0) return null;
  const hiddenCount = items.length - MAX_LISTED;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="replay-list">{items.slice(0, MAX_LISTED).map(children)}</ul>
      {hiddenCount > 0 && <p class="muted">and {hiddenCount} more</p>}
    </section>
  );
}
