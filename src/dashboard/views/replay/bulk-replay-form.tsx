import { useEffect, useState } from 'preact/hooks';
import { DEFAULT_REPLAY_RATE, type ReplayChanges } from '../../../control/replay.ts';
import { filterLabels } from '../../ui/filter-bar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { BulkReplayProgress } from './bulk-replay-progress.tsx';
import { areOptionsValid, defaultOptions, toReplayChanges } from './replay-options.ts';
import { ReplayOptionsForm } from './replay-options-form.tsx';
import type { DeliverySelection } from './replay-request.ts';
import { listDeliveryIds, useBulkReplay } from './use-bulk-replay.ts';

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
  const { replays, start, stop } = useBulkReplay();
  if (replays !== null) {
    return <BulkReplayProgress {...replays} onStop={stop} onClose={onClose} />;
  }
  return (
    <div class="replay-form">
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
  if (entries.length === 0) return <p>All deliveries of the workspace.</p>;
  return (
    <dl class="properties">
      {entries.map(([name, value]) => [
        <dt key={name}>{filterLabels[name.replace('_id', '')] ?? name}</dt>,
        <dd key={`${name} value`}>{String(value)}</dd>,
      ])}
    </dl>
  );
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
    <form class="replay-form" onSubmit={submit} noValidate>
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
        <button type="submit" class="primary" disabled={!areOptionsValid(options)}>
          <Icon name="replay" /> Replay {count === 1 ? '1 delivery' : `${count} deliveries`}
        </button>
      </div>
    </form>
  );
}
