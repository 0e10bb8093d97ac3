/** Advances the clock by a duration or through all retries, and sets its speed. */
import { useState } from 'preact/hooks';
import { parseDuration } from '../../../domain/duration.ts';
import { SvcError } from '../../../domain/errors.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { DueTime } from '../../ui/time.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { advance, changeClock, runAllRetries } from './clock-actions.ts';

/** Titles by speed: seconds of schedule time per second of real time. */
const speeds = { 0: 'frozen', 1: 'real time', 10: '10 times', 100: '100 times', 3600: '1 hour per second' };

interface Props {
  readonly isBusy: boolean;
  readonly onClose: () => void;
}

export function AdvanceDialog({ isBusy, onClose }: Props) {
  const { next_due_at: next = null, speed = 1 } = selectedClock.value.state.value ?? {};
  const [text, setText] = useState('');
  const form = useFormSubmit(['ms'], async () => {
    const ms = parseDuration(text);
    if (ms === null) throw new SvcError('usage', 'ms: Enter a duration such as 90s, 5m, 2h or 1h30m.');
    onClose();
    void advance(ms);
  });
  const setSpeed = (value: string) =>
    void changeClock(value === '0' ? { frozen: true } : { speed: Number(value), frozen: false });
  return (
    <Dialog title="Advance the clock" onClose={onClose}>
      <Form
        form={form}
        action="Advance"
        isDisabled={isBusy}
        onClose={onClose}
        buttons={
          <ActionButton disabled={isBusy} onClick={() => [onClose(), void runAllRetries()]}>
            Run all retries
          </ActionButton>
        }
      >
        <div class="grid">
          <Field
            label="Advance by"
            name="ms"
            error={form.error}
            value={text}
            onChange={setText}
            placeholder="35m"
            autofocus
          />
          <Field
            label="Speed"
            name="speed"
            error={null}
            value={String(speed)}
            onChange={setSpeed}
            options={{ [speed]: `${speed} times`, ...speeds }}
          />
        </div>
        <p class="muted">
          {next === null ? (
            'No attempts are scheduled.'
          ) : (
            <>
              Next attempt <DueTime at={next} />
            </>
          )}
        </p>
      </Form>
    </Dialog>
  );
}
