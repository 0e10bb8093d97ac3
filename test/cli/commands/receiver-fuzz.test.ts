import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fuzz as fuzzCommand } from '../../../src/cli/commands/receiver-fuzz.ts';
import { verify } from '../../../src/signature.ts';
import { createFixtureProject } from '../../fixtures/fixture-project.ts';
import { authority, getCertificate } from '../../support/certificates.ts';
import { findFreePort } from '../../support/local-server.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createReceiver, type ReceivedRequest } from '../../support/test-receiver.ts';
import { createFakeContext, type FakeOptions, NOW } from '../fake-context.ts';
import { respondTo, secret } from './correct-receiver.ts';

/** Never responds to a delivery with a valid signature of Stripe. */
function startHangingReceiver() {
  const certificate = getCertificate('localhost');
  const respond = ({ headers, body }: ReceivedRequest) => {
    const signature = headers['stripe-signature'] as string | undefined;
    const { ok } = verify({ scheme: 'stripe', secret, now: NOW, payload: body, signature });
    return ok ? { after: new Promise(() => {}) } : 400;
  };
  return createReceiver(respond, { certificate });
}

async function fuzz(options: object, fake: FakeOptions = {}) {
  const cwd = createTemporaryFolder();
  const { context, capturedOutput } = createFakeContext({ cwd, ...fake });
  const allOptions = { secret, randomSeed: 1, runs: 5, events: ['order.shipped'], ...options };
  const exitCode = await fuzzCommand.run(allOptions as never, context);
  return { exitCode, cwd, ...capturedOutput };
}

describe('svc receiver fuzz', () => {
  it('a receiver that breaks no rule passes, and the rules that were not checked are named', async () => {
    await using receiver = await createReceiver(respondTo);
    const { exitCode, out } = await fuzz({ url: receiver.url, without: ['burst'] });
    expect(out).toMatch(
      /^Played 5 sequences with \d+ deliveries in \S+, random seed 1\. None broke a rule\.\n/,
    );
    expect(out).toContain('so these rules were not checked: no-side-effect, processed, once, order.');
    expect(exitCode).toBe(0);
  });

  it('the smallest sequence is shown step by step, with why it matters and what to do', async () => {
    await using receiver = await createReceiver({ status: 204 });
    const { exitCode, out, err, cwd } = await fuzz({ url: receiver.url, only: ['stale'], runs: 20 });
    expect(out).toMatch(
      /^Broken rule: rejected \(§6\.3, §6\.4\): a forged, altered or old delivery gets a 4xx response\n/,
    );
    expect(out).toContain(
      '\n1. attack with event 1 (order.shipped): a correctly signed delivery that is six minutes old: status 204, breaks rejected\n',
    );
    expect(out).toMatch(/What happened +The attack got status 204\.\n/);
    expect(out).toMatch(/Why it matters +Anyone who knows the URL/);
    expect(out).toMatch(
      /What to do +Anyone who recorded a delivery can send it again.* Verify the signature/,
    );
    expect(err).not.toContain('svc receiver check');
    const [path = ''] = /\.svc\/sequence-1-\d+\.json/.exec(err) ?? [];
    expect(JSON.parse(readFileSync(join(cwd, path), 'utf8'))).toMatchObject({
      version: 1,
      random_seed: 1,
      steps: [{ kind: 'attack', attack: 'stale', event: 0 }],
    });
    expect(readFileSync(join(cwd, '.svc/.gitignore'), 'utf8')).toBe('*\n');
    expect(exitCode).toBe(1);
  });

  it('--replay plays a saved sequence again', async () => {
    await using receiver = await createReceiver({ status: 204 });
    const { cwd } = await fuzz({ url: receiver.url, only: ['forged'], runs: 20 });
    const [name = ''] = readdirSync(join(cwd, '.svc')).filter((file) => file.startsWith('sequence-'));
    const replay = join(cwd, '.svc', name);
    const failed = await fuzz({ url: receiver.url, replay, json: true }, { json: true });
    expect(JSON.parse(failed.out)).toMatchObject({
      ok: false,
      runs: 1,
      failure: { rule: 'rejected' },
    });
    expect(existsSync(join(failed.cwd, '.svc'))).toBe(false);
    receiver.respond(respondTo);
    expect(await fuzz({ url: receiver.url, replay })).toMatchObject({ exitCode: 0 });
  });

  it('the command that plays a saved sequence again has the options that decide how it is played', async () => {
    await using receiver = await startHangingReceiver();
    const cwd = createTemporaryFolder();
    writeFileSync(join(cwd, 'ca.pem'), authority);
    const options = { sender: 'stripe', timeout: 200, ca: 'ca.pem', events: ['invoice.payment_failed'] };
    const failed = await fuzz({ url: receiver.url, ...options }, { cwd });
    expect(failed.err).toContain(
      `Play it again with: svc receiver fuzz ${receiver.url} --replay .svc/sequence-1-first.json --sender stripe --timeout 200ms --ca ca.pem --events invoice.payment_failed\nhint: Find the cause with: svc receiver check ${receiver.url}\n`,
    );
  });

  it('--json prints the report', async () => {
    await using receiver = await createReceiver({ status: 500 });
    const { exitCode, out } = await fuzz({ url: receiver.url }, { json: true });
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      interrupted: false,
      ...{ passed: 3, failed: 1, inconclusive: 0, skipped: 4 },
      random_seed: 1,
      runs: 0,
      side_effects: null,
      failure: {
        rule: 'no-server-error',
        original_steps: 1,
        steps: [{ step: 1, received: '4 × status 500', broken: ['no-server-error', 'accepted'] }],
        sequence: { steps: [{ kind: 'deliver', event: 0 }] },
      },
    });
    expect(exitCode).toBe(1);
  });

  it('the templates of fixtures are filled with the values of the random seed, which is random by default', async () => {
    await using receiver = await createReceiver({ status: 500 });
    const { cwd, write } = createFixtureProject();
    write('events/mine.created', { description: '', payload: { token: '{{uuid}}' } });
    const run = async (randomSeed: number | undefined) => {
      const options = { url: receiver.url, events: ['mine.created'], randomSeed };
      const { failure, random_seed } = JSON.parse((await fuzz(options, { json: true, cwd })).out);
      return { payload: failure.sequence.events[0].payload, random_seed };
    };
    const seeds = [1, 1, 2, undefined, undefined];
    const [first, second, other, random, another] = await Promise.all(seeds.map(run));
    expect(second).toEqual(first);
    expect(other?.payload).not.toBe(first?.payload);
    expect(random?.random_seed).not.toBe(another?.random_seed);
  });

  it('an error says that no delivery reaches a receiver that does not run', async () => {
    const port = await findFreePort();
    await expect(fuzz({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(
        `No delivery reaches http://127.0.0.1:${port}/: connection refused by 127.0.0.1:${port}: nothing is listening there`,
      ),
    });
  });

  it('--junit writes a report with a test case for each rule', async () => {
    await using receiver = await createReceiver({ status: 204 });
    const { cwd } = await fuzz({ url: receiver.url, only: ['forged'], runs: 20, junit: 'report.xml' });
    const report = readFileSync(join(cwd, 'report.xml'), 'utf8');
    expect(report).toMatch(
      /<testsuites name="svc receiver fuzz" tests="8" failures="1" errors="0" skipped="4">/,
    );
    expect(report).toContain('<testcase classname="accepted" name="accepted"/>');
    expect(report).toContain('<failure message="The attack got status 204. Anyone who knows the URL');
  });

  it('--restart-command runs between deliveries, and its failure ends the fuzz run', async () => {
    await using receiver = await createReceiver(respondTo);
    const cwd = createTemporaryFolder();
    const url = receiver.url;
    const restarting = { url, only: ['restart'], runs: 4, restartCommand: 'echo restart >> restarts' };
    expect(await fuzz(restarting, { cwd })).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(cwd, 'restarts'), 'utf8')).toContain('restart');
    await expect(fuzz({ ...restarting, restartCommand: 'exit 3' })).rejects.toMatchObject({
      code: 'usage',
      message: "Command failed with exit code 3: 'exit 3'.",
    });
  });

  it('an interrupt ends the fuzz run with what is known', async () => {
    const interruption = new AbortController();
    await using receiver = await createReceiver();
    receiver.respond((request, index) => {
      if (index > 10) interruption.abort();
      return respondTo(request);
    });
    const { exitCode, out } = await fuzz({ url: receiver.url, runs: 1000 }, { signal: interruption.signal });
    expect(out).toMatch(/^Interrupted after \d+ sequences? with /);
    expect(exitCode).toBe(130);
  });

  it('--replay of a sequence with a restart needs --restart-command', async () => {
    const cwd = createTemporaryFolder();
    const sequence = { version: 1, random_seed: 1, run: 0, events: [], steps: [{ kind: 'restart' }] };
    writeFileSync(join(cwd, 'a.json'), JSON.stringify(sequence));
    await expect(fuzz({ url: 'http://127.0.0.1:9/', replay: 'a.json' }, { cwd })).rejects.toThrow(
      'The sequence restarts the receiver, so it needs --restart-command.',
    );
  });
});
