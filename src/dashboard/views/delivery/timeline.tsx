/** The attempts and the scheduled retries, in order. They wrap, so that none is cut off. */
import { useRef } from 'preact/hooks';
import { deliveryStatusSymbols, describeOutcome } from '../../../domain/delivery.ts';
import { formatSpan, HOUR_MS, SECOND_MS } from '../../../domain/duration.ts';
import { RETRY_WINDOW_MS } from '../../../domain/retry-policy.ts';
import type { AttemptDetail } from '../../../resources/attempt.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';

/** Further scheduled attempts are only counted. */
const MAX_SCHEDULED = 8;

interface Props {
  readonly delivery: DeliveryDetail;
  readonly selected: AttemptDetail | undefined;
  readonly onSelect: (number: number) => void;
}

export function Timeline({ delivery, selected, onSelect }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const { attempts, due_times: scheduled, status, settled_reason: reason } = delivery;
  const selectByArrowKey = (event: KeyboardEvent) => {
    const offset = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (offset === undefined || selected === undefined) return;
    event.preventDefault();
    const index = attempts.indexOf(selected) + offset;
    const next = attempts[index];
    if (next === undefined) return;
    onSelect(next.number);
    list.current?.querySelectorAll('button')[index]?.focus();
  };
  const first = attempts[0]?.scheduled_at ?? scheduled[0];
  if (first === undefined) return null;
  const hasEnd = (status === 'pending' && scheduled.length > 0) || reason === 'window_elapsed';
  const hiddenCount = scheduled.length - MAX_SCHEDULED;
  return (
    <section aria-label="Timeline">
      <ol class="timeline row plain-list" ref={list} onKeyDown={selectByArrowKey}>
        {attempts.map((attempt) => (
          <li key={attempt.number}>
            <AttemptMark
              attempt={attempt}
              first={first}
              isSelected={attempt === selected}
              onSelect={() => onSelect(attempt.number)}
            />
          </li>
        ))}
        {scheduled.slice(0, MAX_SCHEDULED).map((at, index) => (
          <li key={attempts.length + index + 1} class="muted">
            <span>
              ○ #{attempts.length + index + 1}
              <span class="visually-hidden"> scheduled</span>
            </span>
            <Since at={at} first={first} />
          </li>
        ))}
        {hiddenCount > 0 && <li class="muted">and {hiddenCount} more</li>}
        {hasEnd && (
          <li class="muted" title="End of the retry window">
            <span>ends</span>
            {/* The description of the service gives the retry window in hours. */}
            <span>+{Math.round(RETRY_WINDOW_MS / HOUR_MS)}h</span>
          </li>
        )}
      </ol>
    </section>
  );
}

interface AttemptMarkProps {
  readonly attempt: AttemptDetail;
  readonly first: string;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function AttemptMark({ attempt, first, isSelected, onSelect }: AttemptMarkProps) {
  const { number, outcome, trigger, scheduled_at: at } = attempt;
  const state = outcome === 'succeeded' ? 'succeeded' : 'failed';
  return (
    <button type="button" aria-pressed={isSelected} tabIndex={isSelected ? 0 : -1} onClick={onSelect}>
      <span class={state}>
        <span aria-hidden="true">{deliveryStatusSymbols[state]}</span>
        <span class="visually-hidden">Attempt </span> #{number} {describeOutcome(attempt)}
        <span class="visually-hidden">, {state}</span>
        {trigger === 'manual' && ' replay'}
      </span>
      <Since at={at} first={first} />
    </button>
  );
}

/** Schedule time since the first attempt. */
function Since({ at, first }: { readonly at: string; readonly first: string }) {
  const ms = Date.parse(at) - Date.parse(first);
  return (
    <time class="muted" dateTime={at} title={`${at} (schedule time)`}>
      {at === first ? 'start' : `+${ms < SECOND_MS ? '0s' : formatSpan(ms, 2)}`}
    </time>
  );
}
