/** `svc receiver check` and `svc receiver fuzz` with whole deliveries of other senders, against their official packages. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRandomSource } from '../../src/domain/secret.ts';
import { listFixtures } from '../../src/fixtures/event-fixtures.ts';
import { builtInFixtureFolder } from '../../src/fixtures/fixture-folders.ts';
import { fillTemplates } from '../../src/fixtures/template.ts';
import { createTemplateContexts } from '../../src/fixtures/template-contexts.ts';
import { senderNames, senders } from '../../src/profile/senders.ts';
import { fillSenderText } from '../../src/receivers/receiver-check.ts';
import { checkReceiver, idsOf } from '../receivers/check-receiver.ts';
import { fuzzReceiver } from '../receivers/fuzz/fuzz-receiver.ts';
import { type Defect, type OfficialSender, startOfficialReceiver } from './official-receivers.ts';

const SECRET = 'whsec_c3ZjLXJlY2VpdmVyLXNlY3JldA==';
const TIMEOUT_MS = 60_000;

const names = senderNames.filter((name): name is OfficialSender => name !== 'svc');

/** The samples of a sender that are events. */
function listEvents(name: OfficialSender) {
  const contexts = createTemplateContexts({ env: {}, now: Date.now, random: createRandomSource(1) });
  return listFixtures([join(builtInFixtureFolder(), 'senders', name)])
    .filter(({ type }) => type !== 'url_verification')
    .map(({ type, template }) => ({ type, payload: fillTemplates(template, contexts.next()) }));
}

async function check(name: OfficialSender, defect: Defect | null = null, only: readonly string[] = []) {
  await using receiver = await startOfficialReceiver(name, SECRET, defect);
  const { url, readSideEffects } = receiver;
  const event = listEvents(name).find(({ type }) => type === senders[name].example);
  if (event === undefined) throw new Error(`${name} has no sample of its example`);
  return await checkReceiver({
    ...{ url, readSideEffects, event, only, sender: senders[name], secret: SECRET, apiKey: null },
    timeoutMs: TIMEOUT_MS,
  });
}

async function fuzz(name: OfficialSender, randomSeed: number, defect: Defect | null = null) {
  await using receiver = await startOfficialReceiver(name, SECRET, defect);
  const { url, readSideEffects } = receiver;
  return await fuzzReceiver({
    ...{ url, readSideEffects, randomSeed, sender: senders[name], secret: SECRET },
    events: listEvents(name) as never,
    runs: 12,
    timeoutMs: TIMEOUT_MS,
  });
}

describe.concurrent('the official packages', { timeout: 180_000 }, () => {
  it.for(names)('a receiver with the package of %s passes all checks', async (name) => {
    const report = await check(name);
    expect(report.checks.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(idsOf(report, 'inconclusive')).toEqual([]);
    const skipped = name === 'github' ? [] : ['robustness.large-body'];
    expect(idsOf(report, 'skipped')).toEqual(['signature.api-key', ...skipped]);
    expect(report.ok).toBe(true);
  });

  it.for(names)('a receiver with the package of %s breaks no rule of fuzzing', async (name) => {
    for (const randomSeed of [1, 2]) {
      const report = await fuzz(name, randomSeed);
      expect(report.failure).toBeNull();
      expect(report).toMatchObject({ ok: true, side_effects: 'ids' });
    }
  });

  const failures = [
    ['verifies nothing', ['signature.other-secret'], 'signature'],
    ['verifies a parsed body', ['raw-body.white-space'], 'raw-body'],
    ['processes duplicates', ['deduplication.same-delivery'], 'deduplication.same-delivery'],
  ] as const;

  it.for(names.flatMap((name) => failures.map(([defect, ids, rule]) => [name, defect, ids, rule] as const)))(
    'a receiver with the package of %s that %s fails %j',
    async ([name, defect, ids, rule]) => {
      const report = await check(name, defect, [rule]);
      expect(idsOf(report, 'failed')).toEqual(expect.arrayContaining([...ids]));
    },
  );

  it.for(names)('fuzzing finds that a receiver with the package of %s processes duplicates', async (name) => {
    const { failure } = await fuzz(name, 1, 'processes duplicates');
    // The sections are those of the service.
    expect(failure).toMatchObject({ rule: 'once', reference: null });
  });
});

it.each([
  ['svc', 'Keep each data.id for at least 72 hours.'],
  ['stripe', 'Keep each id for at least 72 hours.'],
  ['github', 'Keep each X-GitHub-Delivery for as long as a delivery can be repeated.'],
  ['slack', 'Keep each event_id for at least 6m1s.'],
] as const)('a text for receivers of %s names its ID and the time of its retries', (name, expected) => {
  expect(fillSenderText('Keep each {event_id} for {retry_time}.', senders[name])).toBe(expected);
});
