import type { ComponentChildren } from 'preact';
import { toHash } from '../../address.ts';
import { type BulkReplay, describeRemaining } from './use-bulk-replay.ts';

/** Limit for the lists of failed replays and of deliveries that were not replayed. */
const MAX_LISTED = 50;

interface Props extends BulkReplay {
  readonly onStop: () => void;
  readonly onClose: () => void;
}

export function BulkReplayProgress({ step, tally, error, onStop, onClose }: Props) {
  const { totalCount, doneCount, waitingCount, succeededCount, failures, rejections } = tally;
  const isFinished = step !== 'requesting' && waitingCount === 0;
  return (
    <div class="replay-form">
      <progress aria-label="Completed replays" max={totalCount} value={doneCount} />
      <dl class="replay-counts">
        <Count name="done" count={`${doneCount} of ${totalCount}`} />
        <Count name="succeeded" count={succeededCount} kind="succeeded" />
        <Count name="failed" count={failures.length} kind="failed" />
        <Count name="not replayed" count={rejections.length} kind="failed" />
        <Count name="in progress" count={waitingCount} kind="pending" />
      </dl>
      <p role="status">
        {step === 'requesting' && 'Replaying…'}
        {step === 'stopped' && `Stopped: ${describeRemaining(tally)}.`}
        {step === 'requested' && !isFinished && 'All replays are requested. Waiting for the receivers.'}
        {step === 'requested' && isFinished && summarize(tally)}
      </p>
      {error !== null && (
        <p class="replay-error" role="alert">
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
            {attempt === null
              ? 'canceled before it was sent'
              : `${attempt.outcome} ${attempt.response_status ?? ''}`}
          </li>
        )}
      </LimitedList>
      <LimitedList title="Not replayed" items={rejections}>
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
    <div class={count === 0 ? '' : kind}>
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
