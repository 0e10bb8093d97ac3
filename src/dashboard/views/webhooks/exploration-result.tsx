/** The result of an exploration: the smallest history that breaks a rule, and what to do about it. */
import type { ExplorationReport } from '../../../contract/exploration-schemas.ts';
import { describeFailureRate, summarizeExploration } from '../../../domain/exploration.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Properties } from '../../ui/properties.tsx';
import { toHistoryFileName } from './exploration-draft.ts';

export interface ExplorationOutcome {
  readonly report: ExplorationReport;
  /** The command that plays the same histories. */
  readonly command: string;
  /** Whether the endpoint has custom headers, which the command does not send. */
  readonly sendsHeaders: boolean;
}

export function ExplorationSummary({ report }: Pick<ExplorationOutcome, 'report'>) {
  const { failure, effects, ok } = report;
  return (
    <p class={`notice ${failure !== null ? 'failed' : ok ? 'succeeded' : ''}`}>
      {failure !== null && (
        <>
          <strong>Broken rule: {failure.rule}</strong> ({failure.reference}): {failure.summary}.{' '}
        </>
      )}
      {summarizeExploration(report)}
      {effects === null && ' Effects were not observed, so the rules about effects were not checked.'}
    </p>
  );
}

/** What the summary does not say. */
export function ExplorationResult({ report: { failure }, command, sendsHeaders }: ExplorationOutcome) {
  return (
    <section class="stack" aria-label="Result">
      {failure !== null && <SmallestHistory steps={failure.steps} />}
      <Properties
        items={{
          ...(failure !== null && describeFailure(failure)),
          'Repeat it': (
            <>
              <code>{command}</code> <CopyButton what="command" text={command} />
              <p class="muted">
                Set SVC_WEBHOOK_SECRET to the secret of the endpoint.
                {sendsHeaders && ' The command does not send the custom headers of the endpoint.'}
              </p>
            </>
          ),
        }}
      />
      {failure !== null && (
        <div class="row">
          <button type="button" onClick={() => downloadHistory(failure.history)}>
            Download the history
          </button>
          <span class="muted">
            Play it again with <code>svc receiver explore --replay {toHistoryFileName(failure.history)}</code>
          </span>
        </div>
      )}
    </section>
  );
}

type ReportedFailure = NonNullable<ExplorationReport['failure']>;

function SmallestHistory({ steps }: Pick<ReportedFailure, 'steps'>) {
  return (
    <table class="webhooks-history">
      <caption class="visually-hidden">The smallest history</caption>
      <thead>
        <tr>
          <th scope="col">Step</th>
          <th scope="col">Sent</th>
          <th scope="col">Received</th>
          <th scope="col">Broken rule</th>
        </tr>
      </thead>
      <tbody>
        {steps.map(({ step, sent, received, broken }) => (
          <tr key={step}>
            <td>{step}</td>
            <td>{sent}</td>
            <td>{received}</td>
            <td class="error-text">{broken.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function describeFailure(failure: ReportedFailure) {
  const { steps, message, reason, remedy, original_steps: originalSteps } = failure;
  const payloads = failure.unusual_events.map(({ event, payload }) => [
    `Payload of event ${event}`,
    <code key={event}>{payload}</code>,
  ]);
  return {
    'What happened': `${message} ${describeFailureRate(failure)}`,
    'Why it matters': reason,
    'What to do': remedy,
    ...Object.fromEntries(payloads),
    'Found with': originalSteps > steps.length && `${originalSteps} steps, reduced to ${steps.length}`,
  };
}

function downloadHistory(history: ReportedFailure['history']): void {
  const file = new Blob([`${JSON.stringify(history, null, 2)}\n`], { type: 'application/json' });
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: url, download: toHistoryFileName(history) }).click();
  URL.revokeObjectURL(url);
}
