import { useState } from 'preact/hooks';
import { updateQuery } from '../router.ts';

interface Props {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

const RECENT = { '5m': 'last 5 minutes', '1h': 'last hour', '24h': 'last 24 hours' };

/** Filters by creation time: a recent period or a range. Both are schedule times in UTC. */
export function PeriodFields({ since, until }: Props) {
  const isRecent = until === undefined && (since === undefined || since in RECENT);
  const [isOpen, setOpen] = useState(!isRecent);
  const isExact = isOpen || !isRecent;
  const select = (option: string) => {
    setOpen(option === 'exact');
    if (option !== 'exact') updateQuery({ since: option, until: '' });
  };
  return (
    <>
      <label title="Schedule time">
        Created
        <select
          value={isExact ? 'exact' : (since ?? '')}
          onChange={({ currentTarget }) => select(currentTarget.value)}
        >
          <option value="">any time</option>
          {Object.entries(RECENT).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
          <option value="exact">custom range</option>
        </select>
      </label>
      {isExact && (
        <DateTimeField title="From (UTC)" value={since} onChange={(time) => updateQuery({ since: time })} />
      )}
      {isExact && (
        <DateTimeField title="Before (UTC)" value={until} onChange={(time) => updateQuery({ until: time })} />
      )}
    </>
  );
}

interface DateTimeFieldProps {
  readonly title: string;
  readonly value: string | undefined;
  readonly onChange: (time: string) => void;
}

/** A date and time field. The browser has no time zones there, so the value is in UTC. */
function DateTimeField({ title, value = '', onChange }: DateTimeFieldProps) {
  const time = new Date(value);
  const inputValue = Number.isNaN(time.getTime()) ? '' : time.toISOString().slice(0, 19);
  return (
    <label title="Schedule time">
      {title}
      <input
        type="datetime-local"
        step={1}
        value={inputValue}
        onChange={({ currentTarget }) => onChange(toUtc(currentTarget.value))}
      />
    </label>
  );
}

function toUtc(text: string): string {
  return text === '' ? '' : new Date(`${text}Z`).toISOString();
}
