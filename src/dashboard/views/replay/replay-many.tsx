import { useEffect, useState } from 'preact/hooks';
import { DEFAULT_REPLAY_RATE, type ReplayChanges } from '../../../control/replaying.ts';
import { useAsked } from '../../asked.ts';
import { Icon } from '../../ui/icon.tsx';
import { Answer, Empty } from '../../ui/state.tsx';
import { isComplete, toChanges, unchanged } from './changes.ts';
import { listIds, useManyReplays } from './many-replays.ts';
import type { DeliveryFilter } from './question.ts';
import { ReplayChoice } from './replay-choice.tsx';
import { ReplayManyProgress } from './replay-many-progress.tsx';

interface Props {
  readonly filter: DeliveryFilter;
  readonly onClose: () => void;
}

const RATES = [5, 20, DEFAULT_REPLAY_RATE, 500];

/** Says how many the filter selects, replays them once that is confirmed, and shows how it goes. */
export function ReplayMany({ filter, onClose }: Props) {
  const [count, setCount] = useState(0);
  const [counting] = useState(() => new AbortController());
  const asked = useAsked(() => listIds(filter, counting.signal, setCount), [filter]);
  useEffect(() => () => counting.abort(), []);
  const { replays, begin, stop } = useManyReplays();
  if (replays !== null) {
    return <ReplayManyProgress {...replays} onStop={stop} onClose={onClose} />;
  }
  return (
    <div class="replay-form">
      <Filter filter={filter} />
      <Answer asked={asked} what={`what matches, ${count} so far`}>
        {(ids) =>
          ids.length === 0 ? (
            <Empty>No delivery matches: there is nothing to replay.</Empty>
          ) : (
            <Confirmation count={ids.length} onBegin={(changes, rate) => begin(ids, changes, rate)} />
          )
        }
      </Answer>
    </div>
  );
}

function Filter({ filter }: { readonly filter: DeliveryFilter }) {
  const given = Object.entries(filter).filter(
    ([name, value]) => name !== 'workspace_id' && value !== undefined,
  );
  if (given.length === 0) return <p>Every delivery of the workspace.</p>;
  return (
    <dl class="facts">
      {given.map(([name, value]) => [
        <dt key={name}>{name.replace('_id', '')}</dt>,
        <dd key={`${name} value`}>{String(value)}</dd>,
      ])}
    </dl>
  );
}

interface ConfirmationProps {
  readonly count: number;
  readonly onBegin: (changes: ReplayChanges, perSecond: number) => void;
}

function Confirmation({ count, onBegin }: ConfirmationProps) {
  const [choice, setChoice] = useState(unchanged);
  const [rate, setRate] = useState(DEFAULT_REPLAY_RATE);
  const submit = (event: Event) => {
    event.preventDefault();
    onBegin(toChanges(choice), rate);
  };
  return (
    <form class="replay-form" onSubmit={submit} noValidate>
      <ReplayChoice choice={choice} onChange={setChoice} url="" />
      <label class="replay-rate">
        At most
        <select value={rate} onChange={(event) => setRate(Number(event.currentTarget.value))}>
          {RATES.map((each) => (
            <option key={each} value={each}>
              {each} a second
            </option>
          ))}
        </select>
      </label>
      <div class="row">
        <button type="submit" class="main" disabled={!isComplete(choice)}>
          <Icon name="replay" /> Replay {count === 1 ? 'one delivery' : `${count} deliveries`}
        </button>
      </div>
    </form>
  );
}
