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
  const { total, done, waiting, succeeded, failures, rejections } = tally;
  const isFinished = step !== 'requesting' && waiting === 0;
  return (
    <div class="replay-form">
      <progress aria-label="Completed replays" max={total} value={done} />
      <dl class="replay-counts">
        <Count name="done" count={`${done} of ${total}`} />
        <Count name="succeeded" count={succeeded} kind="succeeded" />
        <Count name="failed" count={failures.length} kind="failed" />
        <Count name="not replayed" count={rejections.length} kind="failed" />
        <Count name="in progress" count={waiting} kind="pending" />
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
      <Listed title="Failed" of={failures}>
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
      </Listed>
      <Listed title="Not replayed" of={rejections}>
        {({ id, error: { message } }) => (
          <li key={id}>
            <a href={toHash({ section: 'deliveries', id })} onClick={onClose}>
              <code>{id}</code>
            </a>{' '}
            {message}
          </li>
        )}
      </Listed>
    </div>
  );
}

function summarize({ total, succeeded }: BulkReplay['tally']): string {
  return succeeded === total ? `All ${total} succeeded.` : `${succeeded} of ${total} succeeded.`;
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

interface ListedProps<Item> {
  readonly title: string;
  readonly of: readonly Item[];
  readonly children: (item: Item) => ComponentChildren;
}

function Listed<Item>({ title, of, children }: ListedProps<Item>) {
  if (of.length === 0) return null;
  const more = of.length - MAX_LISTED;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="replay-list">{of.slice(0, MAX_LISTED).map(children)}</ul>
      {more > 0 && <p class="muted">and {more} more</p>}
    </section>
  );
}
