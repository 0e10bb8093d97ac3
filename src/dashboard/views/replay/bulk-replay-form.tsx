/** Replays the deliveries that a filter selects: shows how many, asks, and shows the progress and the results. */
import { useEffect, useState } from 'preact/hooks';
import {
  DEFAULT_REPLAY_RATE,
  type Replay,
  type ReplayRefusal,
  replayDeliveries,
  waitForReplays,
} from '../../../client/replay.ts';
import type { ControlInput } from '../../../contract/control-operations.ts';
import { listAll } from '../../../contract/control-plane.ts';
import { describeOutcome } from '../../../domain/delivery.ts';
import { HOUR_MS } from '../../../domain/duration.ts';
import { formatDeliveryCount } from '../../../domain/message-parts.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { showToast } from '../../toasts.ts';
import { connectFields, Field } from '../../ui/field.tsx';
import { describeFilter } from '../../ui/filter-text.ts';
import { Form } from '../../ui/form.tsx';
import { Properties } from '../../ui/properties.tsx';
import { EmptyState, QueryView } from '../../ui/query-view.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { useQuery } from '../../use-query.ts';

/** The filter of the delivery list. */
export type DeliverySelection = Omit<ControlInput<'listDeliveries'>, 'limit' | 'starting_after'>;

interface Props {
  readonly filter: DeliverySelection;
  readonly onClose: () => void;
}

export function BulkReplayForm({ filter, onClose }: Props) {
  const [abortController] = useState(() => new AbortController());
  useEffect(() => () => abortController.abort(), []);
  const query = useQuery(
    () =>
      listAll((page) => {
        abortController.signal.throwIfAborted();
        return control.listDeliveries({ ...filter, ...page });
      }),
    [filter],
  );
  return (
    <div class="stack">
      <Properties items={describeSelection(filter, query.value?.[0]?.url)} />
      <QueryView query={query} what="the deliveries">
        {(deliveries) =>
          deliveries.length === 0 ? (
            <EmptyState>No deliveries match.</EmptyState>
          ) : (
            <BulkReplay ids={deliveries.map(({ id }) => id)} onClose={onClose} />
          )
        }
      </QueryView>
    </div>
  );
}

/** @param url of the endpoint, if the filter selects one */
function describeSelection(filter: DeliverySelection, url: string | undefined): Record<string, string> {
  const entries = Object.entries(filter).filter(
    ([name, value]) => name !== 'workspace_id' && value !== undefined,
  );
  if (entries.length === 0) return { Deliveries: 'all in the workspace' };
  const items = entries.map(([name, value]) => {
    const { label, text } = describeFilter(name, String(value));
    return [label, name === 'webhook_id' && url !== undefined ? url : text];
  });
  return Object.fromEntries(items);
}

const rates = Object.fromEntries(
  [5, 20, DEFAULT_REPLAY_RATE, 500].map((rate) => [rate, `${rate} per second`]),
);

interface Progress {
  readonly doneCount: number;
  readonly refusals: readonly ReplayRefusal[];
  /** Null until all attempts have a result, or the replay was stopped. */
  readonly replays: readonly Replay[] | null;
}

function BulkReplay({ ids, onClose }: { readonly ids: readonly string[]; readonly onClose: () => void }) {
  const [draft, setDraft] = useState({ url: '', rate: String(DEFAULT_REPLAY_RATE) });
  const [abortController] = useState(() => new AbortController());
  const [progress, setProgress] = useState<Progress | null>(null);
  useEffect(() => () => abortController.abort(), []);
  const { signal } = abortController;
  const form = useFormSubmit(['url'], async () => {
    const url = draft.url.trim();
    const refusals: ReplayRefusal[] = [];
    let doneCount = 0;
    setProgress({ doneCount, refusals, replays: null });
    try {
      const outcomes = await replayDeliveries(ids, url === '' ? {} : { url }, control, {
        perSecond: Number(draft.rate),
        signal,
        onOutcome: (outcome) => {
          doneCount++;
          if ('error' in outcome) refusals.push(outcome);
          setProgress({ doneCount, refusals, replays: null });
        },
      });
      const requested = outcomes.filter((outcome) => 'delivery' in outcome);
      const { replays } = await waitForReplays(requested, control, { timeoutMs: HOUR_MS, signal });
      setProgress({ doneCount, refusals, replays });
    } catch (error) {
      if (!signal.aborted) throw error;
      const rest = ids.length - doneCount;
      if (rest > 0)
        showToast(`The replay was stopped: ${rest} of ${formatDeliveryCount(ids.length)} not sent again.`);
    }
  });
  if (progress !== null) {
    return (
      <BulkProgress count={ids.length} progress={progress} error={form.error?.message} onClose={onClose} />
    );
  }
  const field = connectFields(draft, setDraft, form.error);
  return (
    <Form form={form} action={`Replay ${formatDeliveryCount(ids.length)}`} onClose={onClose}>
      <div class="fields">
        <Field label="Rate limit" {...field('rate')} options={rates} />
        <Field
          label="URL"
          {...field('url')}
          hint="Another URL creates new deliveries, without the custom headers of the endpoint."
          inputMode="url"
          placeholder="the URL of the endpoint"
        />
      </div>
    </Form>
  );
}

/** Limit for the list of replays that did not succeed. */
const MAX_LISTED = 50;

interface BulkProgressProps {
  readonly count: number;
  readonly progress: Progress;
  readonly error: string | undefined;
  readonly onClose: () => void;
}

function BulkProgress({ count, progress, error, onClose }: BulkProgressProps) {
  const { doneCount, refusals, replays } = progress;
  const failures =
    replays?.filter(({ delivery: { last_attempt: last } }) => last?.outcome !== 'succeeded') ?? [];
  const problems = [
    ...refusals.map(({ id, error }) => ({ id, text: error.message })),
    ...failures.map(({ delivery: { id, last_attempt: last } }) => ({
      id,
      text: last === null ? 'canceled before it was sent' : describeOutcome(last),
    })),
  ];
  return (
    <div class="stack">
      <progress aria-label="Replays that the emulator accepted or rejected" max={count} value={doneCount} />
      <p role="status">
        {replays !== null
          ? `${replays.length - failures.length} of ${count} succeeded.`
          : doneCount < count
            ? `Replaying ${doneCount} of ${count}…`
            : 'Waiting for the responses…'}
      </p>
      {error !== undefined && (
        <p class="error-text" role="alert">
          {error}
        </p>
      )}
      {problems.length > 0 && (
        <ul class="divided-list">
          {problems.slice(0, MAX_LISTED).map(({ id, text }) => (
            <li key={id}>
              <a class="mono" href={toHash({ section: 'deliveries', id })}>
                {id}
              </a>
              <span class="grow">{text}</span>
            </li>
          ))}
        </ul>
      )}
      {problems.length > MAX_LISTED && <p class="muted">and {problems.length - MAX_LISTED} more</p>}
      <div class="row">
        <button type="button" onClick={onClose}>
          {replays === null ? 'Stop' : 'Close'}
        </button>
      </div>
    </div>
  );
}
