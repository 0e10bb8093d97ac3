/** Renders the report of `svc receiver explore`: as text, as JUnit XML, and its smallest history as a Vitest test. */
import { isDeepStrictEqual } from 'node:util';
import { formatDuration } from '../../domain/duration.ts';
import { formatCount, formatDeliveryCount } from '../../domain/message-parts.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { schemes } from '../../domain/signature/schemes.ts';
import type { ExploreReport } from '../../receiver/explore/explore.ts';
import {
  type ExploreRule,
  effectRules,
  exploreRuleNames,
  exploreRules,
} from '../../receiver/explore/rules.ts';
import type { ExploreFailure } from '../../receiver/explore/smallest-failure.ts';
import { type JUnitResult, renderJUnit } from '../junit.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { styleFor } from './style.ts';
import { renderFields, renderTable } from './table.ts';

/** Length of a payload in the text. The saved history has it in full. */
const MAX_PAYLOAD_LENGTH = 400;

export function renderExploreReport(report: ExploreReport, capabilities: TerminalCapabilities): string {
  const { failure } = report;
  const parts = failure === null ? [] : [renderFailure(failure, capabilities)];
  return [...parts, summarize(report)].join('\n\n');
}

/** `Played 100 histories with 1203 deliveries in 21.4s, seed 7. None broke a rule.` */
function summarize({
  interrupted,
  runs,
  requests,
  duration_ms,
  seed,
  failure,
  effects,
}: ExploreReport): string {
  const time = formatDuration(Math.round(duration_ms / 100) * 100);
  const amount = `${formatCount(runs, 'history', 'histories')} with ${formatDeliveryCount(requests)} in ${time}`;
  const result =
    failure === null
      ? 'None broke a rule.'
      : runs === 0
        ? 'Even a single delivery broke a rule.'
        : 'One broke a rule.';
  const summary = `${interrupted ? 'Interrupted after' : 'Played'} ${amount}, seed ${seed}. ${result}`;
  if (effects !== null) return summary;
  const rules = [...effectRules].join(', ');
  return `${summary}\nEffects were not observed, so these rules were not checked: ${rules}.`;
}

/** How often the smallest history fails, as a sentence. */
function describeFailureRate({ failed, played }: ExploreFailure): string {
  if (played === 1) return 'It was played only once.';
  return failed === played
    ? `Fails every time (${played} of ${played}).`
    : `Fails ${failed} of ${played} times.`;
}

function renderFailure(failure: ExploreFailure, capabilities: TerminalCapabilities): string {
  const { rule, summary, reference, steps, original_steps: originalSteps } = failure;
  const { red } = styleFor(capabilities);
  const table = renderTable(
    [
      { title: 'STEP', value: ({ step }) => String(step) },
      { title: 'SENT', value: ({ sent }) => sent },
      { title: 'RECEIVED', value: ({ received }) => received },
      { title: 'BROKEN RULE', value: ({ broken }) => red(broken.join(', ')) },
    ],
    steps,
    { ...capabilities, width: Number.POSITIVE_INFINITY },
  );
  const payloads = Object.fromEntries(
    failure.unusual_events.map(({ event, payload }) => [`Payload of event ${event}`, shorten(payload)]),
  );
  const fields = {
    'What happened': `${failure.message} ${describeFailureRate(failure)}`,
    'Why it matters': failure.reason,
    'What to do': failure.remedy,
    ...payloads,
    ...(originalSteps > steps.length && {
      'Found with': `${originalSteps} steps, reduced to ${steps.length} in ${formatDuration(failure.shrink_ms)}`,
    }),
  };
  return [
    `${red(`Broken rule: ${rule}`)} (${reference}): ${summary}`,
    table,
    renderFields(fields, capabilities),
  ].join('\n\n');
}

function shorten(text: string): string {
  return text.length > MAX_PAYLOAD_LENGTH ? `${text.slice(0, MAX_PAYLOAD_LENGTH)}…` : text;
}

/** One test case for each rule. Rules about effects are skipped if effects were not observed. */
export function renderExploreJUnit({ failure, effects, duration_ms }: ExploreReport, url: string): string {
  const toResult = (rule: ExploreRule): JUnitResult | null => {
    if (rule === failure?.rule) return toJUnitFailure(failure);
    if (effects !== null || !effectRules.has(rule)) return null;
    return { kind: 'skipped', message: 'Effects were not observed.' };
  };
  const cases = exploreRuleNames.map((name) => ({
    classname: 'svc receiver explore',
    name,
    result: toResult(name),
  }));
  return renderJUnit('svc receiver explore', [{ name: url, cases, durationMs: duration_ms }]);
}

function toJUnitFailure(failure: ExploreFailure): JUnitResult {
  const lines = [
    ...failure.steps.map(({ step, sent, received }) => `${step}. ${sent}: ${received}`),
    describeFailureRate(failure),
    failure.reason,
    failure.remedy,
    JSON.stringify(failure.history),
  ];
  return { kind: 'failure', message: failure.message, details: lines.join('\n') };
}

interface VitestTestOptions {
  readonly url: string;
  /** Undefined if effects were not observed. */
  readonly observe: string | undefined;
  readonly restartCommand: string | undefined;
  readonly scheme: SignatureScheme;
  readonly timeoutMs: number;
  /** The file of a certificate authority. */
  readonly ca: string | undefined;
  /** Event types; empty for those of all fixtures. */
  readonly events: readonly string[];
}

/** A test that plays the smallest history again. It needs a running receiver, `SVC_WEBHOOK_SECRET` and this package. */
export function renderVitestTest(
  failure: ExploreFailure,
  { url, observe, restartCommand, scheme, timeoutMs, ca, events }: VitestTestOptions,
): string {
  const hasRestart =
    restartCommand !== undefined && failure.history.steps.some(({ kind }) => kind === 'restart');
  const options = {
    observe,
    scheme: toSchemeOption(scheme),
    timeout: formatDuration(timeoutMs),
    events: events.length === 0 ? undefined : events,
  };
  return [
    '// Written by svc receiver explore. Start your receiver, set SVC_WEBHOOK_SECRET to its secret, and run Vitest.',
    ...(hasRestart ? ["import { execSync } from 'node:child_process';"] : []),
    ...(ca === undefined ? [] : ["import { readFileSync } from 'node:fs';"]),
    "import { exploreReceiver } from 'svc-emulator';",
    "import { expect, it } from 'vitest';",
    '',
    `const history = ${JSON.stringify(failure.history, null, 2)};`,
    '',
    `it(${JSON.stringify(`the receiver: ${exploreRules[failure.rule].summary}`)}, { timeout: 60_000 }, async () => {`,
    `  const report = await exploreReceiver(${JSON.stringify(url)}, {`,
    ...Object.entries(options).flatMap(([name, value]) =>
      value === undefined ? [] : [`    ${name}: ${JSON.stringify(value)},`],
    ),
    ...(ca === undefined ? [] : [`    ca: readFileSync(${JSON.stringify(ca)}, 'utf8'),`]),
    ...(hasRestart
      ? [`    restart: () => void execSync(${JSON.stringify(restartCommand)}, { stdio: 'ignore' }),`]
      : []),
    '    replay: history,',
    '  });',
    '  expect(report.failure).toBeNull();',
    '});',
    '',
  ].join('\n');
}

/** The name of a built-in scheme; the whole scheme if the configuration defines or changes it. */
function toSchemeOption(scheme: SignatureScheme): string | SignatureScheme {
  const builtIn = Object.values(schemes).find(({ name }) => name === scheme.name);
  return isDeepStrictEqual(builtIn, scheme) ? scheme.name : scheme;
}
