/** The schedule clock of the workspace: what it shows, what it does next, and everything that moves it. */
import './clock.css';
import type { RefObject } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { parseDuration } from '../../../domain/duration.ts';
import { useLive } from '../../live.ts';
import { notify } from '../../notices.ts';
import { clock, scheduleNow, wallNow } from '../../schedule.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Caused } from './caused.tsx';
import {
  advance,
  changeClock,
  countAttempts,
  goToNext,
  moving,
  settle,
  toggleFrozen,
} from './clock-moves.ts';
import { describeDistance, describeRate, formatInstant } from './clock-words.ts';
import { Due } from './due.tsx';

const SPEEDS = [1, 10, 100, 3600];
const STEPS = ['5m', '30m', '24h'];

export function ClockBar() {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const duration = useRef<HTMLInputElement>(null);
  useShortcuts([
    { key: 'f', does: 'Freeze the clock, or let it go on', run: toggleFrozen },
    { key: 'n', does: 'Move the clock to the next attempt', run: goToNext },
    { key: 'S', does: 'Move the clock until nothing is due any more', run: settle },
    {
      key: 'a',
      does: 'Advance the clock by a duration',
      run: () => {
        setOpen(true);
        requestAnimationFrame(() => duration.current?.focus());
      },
    },
  ]);
  useLive((items) => {
    const id = moving.peek()?.workspaceId;
    const sent = items.filter((item) => item.type === 'attempt' && item.delivery.workspace_id === id).length;
    if (sent > 0) countAttempts(sent);
  });
  const isFrozen = clock.value?.rate === 0;
  return (
    <section class="clock" aria-label="Clock" aria-busy={moving.value !== null}>
      <Reading />
      <button
        type="button"
        class="clock-freeze"
        title={`${isFrozen ? 'Resume' : 'Freeze'} (f)`}
        onClick={toggleFrozen}
      >
        <Icon name={isFrozen ? 'play' : 'pause'} />
        <span class="clock-word">{isFrozen ? 'Resume' : 'Freeze'}</span>
      </button>
      <button
        type="button"
        class="clock-more"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        More
      </button>
      <div id={id} class={`clock-controls ${isOpen ? 'open' : ''}`}>
        <Speeds />
        <Moves duration={duration} />
      </div>
      <div class="clock-side">
        <Caused />
        <div class="clock-next">
          <Due />
        </div>
      </div>
    </section>
  );
}

function Reading() {
  const { value: now } = scheduleNow;
  if (clock.value === undefined || now === undefined || wallNow.value === undefined) {
    return <p class="muted clock-reading">The clock is being read…</p>;
  }
  const { rate } = clock.value;
  const [date, time] = formatInstant(now).split(' ');
  const distance = describeDistance(now, wallNow.value);
  return (
    <p class="clock-reading">
      <Icon name="clock" />
      <time class="mono" dateTime={new Date(now).toISOString()} title="Schedule time, UTC">
        <span class="clock-date">{date}</span> {time}
      </time>
      <span class={rate === 0 ? 'clock-frozen' : 'clock-rate'}>{describeRate(rate)}</span>
      {distance !== null && <span class="muted clock-distance">{distance}</span>}
    </p>
  );
}

function Speeds() {
  return (
    <fieldset>
      <legend class="unseen">Speed: schedule seconds per real second</legend>
      {SPEEDS.map((speed) => (
        <button
          key={speed}
          type="button"
          aria-pressed={clock.value?.rate === speed}
          title={`${speed} schedule ${speed === 1 ? 'second' : 'seconds'} per real second`}
          onClick={() => changeClock({ speed, frozen: false })}
        >
          ×{speed}
        </button>
      ))}
    </fieldset>
  );
}

function Moves({ duration }: { readonly duration: RefObject<HTMLInputElement | null> }) {
  const isBusy = moving.value !== null;
  return (
    <>
      <fieldset disabled={isBusy}>
        <legend class="unseen">Advance</legend>
        {STEPS.map((step) => (
          <button key={step} type="button" onClick={() => advanceBy(step)}>
            +{step}
          </button>
        ))}
        <AnyDuration field={duration} />
      </fieldset>
      <fieldset disabled={isBusy}>
        <legend class="unseen">Move to</legend>
        <button type="button" title="To the next attempt (n)" onClick={goToNext}>
          <Icon name="next" /> Next
        </button>
        <button type="button" title="Until nothing is due any more (S)" onClick={settle}>
          <Icon name="skip" /> Settle
        </button>
      </fieldset>
    </>
  );
}

function AnyDuration({ field }: { readonly field: RefObject<HTMLInputElement | null> }) {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    setWrong(!advanceBy(text));
  };
  return (
    <form class="clock-any" onSubmit={submit}>
      <input
        ref={field}
        value={text}
        placeholder="2h30m"
        aria-label="Advance by"
        aria-invalid={isWrong}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setWrong(false);
        }}
      />
      <button type="submit">Advance</button>
    </form>
  );
}

/** @returns false where the text is no duration, which is then said. */
function advanceBy(text: string): boolean {
  const ms = parseDuration(text);
  if (ms === null) notify('Write a duration such as 90s, 5m, 2h or 1h30m.', true);
  else void advance(ms, text.trim());
  return ms !== null;
}
