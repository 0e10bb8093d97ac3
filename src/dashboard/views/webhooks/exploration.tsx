/** Explores the receiver of an endpoint: the form, the progress and the result. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Exploration as Progress } from '../../../contract/exploration-schemas.ts';
import type { WebhookDetail } from '../../../contract/resources.ts';
import { formatDuration, SECOND_MS } from '../../../domain/duration.ts';
import { commandlessDisturbances, DEFAULT_RUNS, disturbances } from '../../../domain/exploration.ts';
import { formatCount, formatDeliveryCount } from '../../../domain/message-parts.ts';
import { sleep } from '../../../timers.ts';
import { control } from '../../control.ts';
import { showToast, withErrorToast } from '../../toasts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { connectFields, Field, FormErrorText } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import {
  type ExplorationDraft,
  emptyExploration,
  listNames,
  toExploration,
  toExploreCommand,
  toggleDisturbance,
} from './exploration-draft.ts';
import { type ExplorationOutcome, ExplorationResult, ExplorationSummary } from './exploration-result.tsx';

const PROGRESS_INTERVAL_MS = 500;

/** Leaving the page ends an exploration in progress. */
export function Exploration({ webhook }: { readonly webhook: WebhookDetail }) {
  const { id, headers } = webhook;
  const [draft, setDraft] = useState(emptyExploration);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [outcome, setOutcome] = useState<ExplorationOutcome | null>(null);
  /** Aborts the request of the exploration in progress; null when there is none. */
  const activeController = useRef<AbortController | null>(null);
  useEffect(() => {
    return () => {
      if (activeController.current === null) return;
      activeController.current.abort();
      showToast('The exploration was stopped.');
    };
  }, []);
  const form = useFormSubmit(Object.keys(draft), async () => {
    const input = toExploration(draft);
    const abortController = new AbortController();
    activeController.current = abortController;
    setOutcome(null);
    try {
      void followProgress(id, abortController.signal, setProgress);
      const report = await control.exploreWebhook({ id, ...input }, abortController.signal);
      setOutcome({
        report,
        command: toExploreCommand(webhook, input, report),
        sendsHeaders: Object.keys(headers).length > 0,
      });
    } finally {
      activeController.current = null;
      // Ends `followProgress`.
      abortController.abort();
      setProgress(null);
    }
  });
  const isRunning = activeController.current !== null;
  return (
    <section class="card stack" aria-label="Explore the receiver">
      <h3>Explore the receiver</h3>
      <p class="muted">
        Sends random histories of deliveries, with repeats, lost responses and attacks, until one breaks a
        rule. Then finds the smallest history that breaks it. The deliveries are not recorded. Use a receiver
        whose data you can afford to lose.
      </p>
      <form class="stack" onSubmit={form.submit} noValidate>
        <ExplorationFields draft={draft} onChange={setDraft} error={form.error} />
        <FormErrorText error={form.error} />
        <div class="row">
          <button type="submit" class="primary" disabled={form.isBusy}>
            <Icon name="search" /> Start
          </button>
          {isRunning && (
            <ActionButton
              class="danger"
              onClick={() => void withErrorToast(control.cancelExploration({ id }))}
            >
              Cancel
            </ActionButton>
          )}
        </div>
      </form>
      {isRunning && <p>{describeProgress(progress)}</p>}
      {/* The progress changes too often to be announced. */}
      <div role="status">
        {isRunning && <span class="visually-hidden">Exploring…</span>}
        {outcome !== null && <ExplorationSummary report={outcome.report} />}
      </div>
      {outcome !== null && <ExplorationResult {...outcome} />}
    </section>
  );
}

interface ExplorationFieldsProps {
  readonly draft: ExplorationDraft;
  readonly onChange: (draft: ExplorationDraft) => void;
  readonly error: ReturnType<typeof useFormSubmit>['error'];
}

function ExplorationFields({ draft, onChange, error }: ExplorationFieldsProps) {
  const field = connectFields(draft, onChange, error);
  return (
    <>
      <div class="fields">
        <Field
          label="Number of histories"
          {...field('runs')}
          hint={`Default: ${DEFAULT_RUNS}, or no limit if you set a time.`}
          inputMode="numeric"
          placeholder={String(DEFAULT_RUNS)}
        />
        <Field
          label="Time"
          {...field('time_ms')}
          hint="No new history starts after this time."
          placeholder="60s"
        />
        <Field
          label="Seed"
          {...field('seed')}
          hint="The same seed generates the same histories."
          inputMode="numeric"
          placeholder="random"
        />
      </div>
      <Field
        label="URL of the effects"
        {...field('observe')}
        hint='The URL must return {"ids": […]}, the data.id of each effect, or {"count": n}. Without it, the rules about effects are not checked.'
        inputMode="url"
        placeholder="http://localhost:3000/effects"
      />
      <Field
        label="Only these disturbances"
        {...field('only')}
        hint="Separate them with commas. Leave empty for all."
        placeholder="all"
      />
      <DisturbanceButtons selected={draft.only} onChange={(only) => onChange({ ...draft, only })} />
    </>
  );
}

interface DisturbanceButtonsProps {
  readonly selected: string;
  readonly onChange: (names: string) => void;
}

function DisturbanceButtons({ selected, onChange }: DisturbanceButtonsProps) {
  const selectedNames = new Set(listNames(selected));
  return (
    <fieldset class="webhooks-types webhooks-disturbances">
      <legend class="visually-hidden">Disturbances</legend>
      {commandlessDisturbances.map((name) => (
        <button
          key={name}
          type="button"
          class="pill"
          aria-pressed={selectedNames.has(name)}
          title={disturbances[name]}
          onClick={() => onChange(toggleDisturbance(selected, name))}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

/** Loads the progress regularly until `signal` is aborted. */
async function followProgress(
  id: string,
  signal: AbortSignal,
  onProgress: (progress: Progress | null) => void,
): Promise<void> {
  while (!signal.aborted) {
    // The exploration itself reports a lost connection.
    const state = await control.getExploration({ id }, signal).catch(() => null);
    if (!signal.aborted && state !== null) onProgress(state.exploration);
    await sleep(PROGRESS_INTERVAL_MS, signal);
  }
}

function describeProgress(progress: Progress | null): string {
  if (progress === null) return 'Starting…';
  const { phase, runs, requests, steps, duration_ms: ms } = progress;
  const elapsed = ms < SECOND_MS ? '0s' : formatDuration(Math.floor(ms / SECOND_MS) * SECOND_MS);
  const amount = `${formatCount(runs, 'history', 'histories')}, ${formatDeliveryCount(requests)}, ${elapsed}`;
  if (phase === 'searching') return `Searching: ${amount}`;
  const size = formatCount(steps ?? 0, 'step');
  return phase === 'shrinking'
    ? `Found a failure. Removing steps, ${size} left: ${amount}`
    : `Playing the smallest history again, ${size}: ${amount}`;
}
