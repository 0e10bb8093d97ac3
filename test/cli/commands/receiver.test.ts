import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check as checkCommand, example as exampleCommand } from '../../../src/cli/commands/receiver.ts';
import { renderJUnit } from '../../../src/cli/render/junit.ts';
import type { CheckReport } from '../../../src/receivers/run-checks.ts';
import { createFixtureProject } from '../../fixtures/fixture-project.ts';
import { authority, getCertificate } from '../../support/certificates.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createReceiver, type ReceiverResponses } from '../../support/test-receiver.ts';
import { createFakeContext, type FakeOptions } from '../fake-context.ts';
import { expectGolden } from '../golden-output.ts';
import { respondTo, secret } from './correct-receiver.ts';

async function check(options: object, fake: FakeOptions = {}) {
  const { context, capturedOutput } = createFakeContext(fake);
  const allOptions = { eventType: 'order.shipped', secret, ...options };
  const exitCode = await checkCommand.run(allOptions as never, context);
  return { exitCode, ...capturedOutput };
}

/** The JUnit report of a check. */
async function checkToJUnit(options: object, fake: FakeOptions) {
  const cwd = createTemporaryFolder();
  const result = await check({ ...options, junit: 'reports/check.xml' }, { ...fake, cwd });
  return { ...result, report: readFileSync(join(cwd, 'reports/check.xml'), 'utf8') };
}

/** Version 13 crashes Node.js 20, and needs no script. */
const [npmInstall, sqlite] =
  Number(process.versions.napi) < 10
    ? ['npm install', 'better-sqlite3@12']
    : ['npm install --ignore-scripts', 'better-sqlite3'];

describe('svc receiver check', () => {
  it('the terminal, JUnit, JSON and the exit code say the same, as golden/receiver-check.txt shows', async () => {
    const inconclusive = ['signature.genuine', 'deduplication.later'];
    const withKey = ['signature.genuine', 'signature.api-key'];
    const all = ['signature.genuine', 'signature.other-secret', 'timestamp', 'rejection', 'deduplication'];
    const rows: [title: string, responses: ReceiverResponses | null, options: object, fake?: FakeOptions][] =
      [
        ['a receiver that accepts everything', { status: 204 }, { rule: all }],
        ['a receiver that fails', { status: 500 }, { rule: ['signature.genuine', 'timestamp.old'] }],
        ['a receiver that does not run', null, { rule: ['timestamp.old'] }],
        ['an inconclusive check', respondTo, { rule: inconclusive }],
        ['an inconclusive check with --strict', respondTo, { rule: inconclusive, strict: true }],
        ['no passed check', respondTo, { rule: ['deduplication.later'] }],
        ['a check without its API key', respondTo, { rule: withKey, strict: true }],
        ['only a check without its API key', respondTo, { rule: ['signature.api-key'], strict: true }],
        [
          'a check with its API key',
          respondTo,
          { rule: withKey, strict: true },
          { env: { SVC_API_KEY: 'svc_test_of_the_receiver' } },
        ],
        ['--observe that fails', respondTo, { observe: 'echo many', rule: ['deduplication.same-delivery'] }],
      ];
    const texts = rows.map(async ([title, responses, options, fake = {}]) => {
      await using receiver = await createReceiver(responses ?? 200);
      if (responses === null) await receiver[Symbol.asyncDispose]();
      const url = `${receiver.url}/?a=1&b=2`;
      const { report, ...text } = await checkToJUnit({ url, ...options }, fake);
      const json = await check({ url, ...options }, { ...fake, json: true });
      const { checks: _, ...counts } = JSON.parse(json.out);
      const shown = [text.out, text.err, report, JSON.stringify(counts), `exit code ${text.exitCode}`];
      expect(json.exitCode, title).toBe(text.exitCode);
      const output = shown
        .join('\n')
        .replaceAll(receiver.url, 'http://receiver')
        .replaceAll(`:${receiver.port}`, ':PORT');
      return [title, output] as const;
    });
    await expectGolden('receiver-check', Object.fromEntries(await Promise.all(texts)));
  });

  it('svc receiver check warns about a secret that does not start like the secrets of endpoints', async () => {
    await using receiver = await createReceiver(204);
    const options = { url: receiver.url, secret: 'nope', rule: ['signature.genuine'] };
    const { err } = await check(options);
    expect(err).toBe(
      'warning: The secret does not start with whsec_, so it may not be an endpoint secret.\n',
    );
    // Other services have other secrets.
    expect((await check({ ...options, sender: 'github', eventType: 'push' })).err).toBe('');
  });

  /** Checks a receiver in a folder with this configuration. @returns the first delivery, and the report */
  async function checkInFolder(config: object, options: object) {
    const cwd = createTemporaryFolder();
    writeFileSync(join(cwd, 'svc.config.json'), JSON.stringify(config));
    await using receiver = await createReceiver({ status: 204 });
    const all = { url: receiver.url, rule: ['signature.genuine'], eventType: undefined, ...options };
    const result = await check(all, { cwd, json: true });
    return { ...(await receiver.request(1)), report: JSON.parse(result.out) as CheckReport };
  }

  it('a folder that is configured with a sender is checked with its deliveries', async () => {
    const { headers, body } = await checkInFolder({ sender: 'stripe' }, {});
    expect(headers).toMatchObject({ 'stripe-signature': expect.stringMatching(/^t=\d+,v1=/) });
    expect(JSON.parse(body.toString())).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      type: 'payment_intent.succeeded',
    });
  });

  it('--sender replaces the configured sender, and its example is sent', async () => {
    const { headers, body } = await checkInFolder({ sender: 'stripe' }, { sender: 'github' });
    expect(headers).toMatchObject({ 'x-github-event': 'issues', 'x-github-delivery': expect.any(String) });
    expect(JSON.parse(body.toString())).toMatchObject({ action: 'opened' });
  });

  it('a sender of the configuration file is checked with its fixtures, and checks that do not apply to it are skipped', async () => {
    const acme = {
      headers: { 'Acme-Attempt': '{attempt}' },
      scheme: { headers: { signature: 'Acme-Signature', timestamp: 'Acme-Time', id: null } },
    };
    const rule = [
      ...['signature.genuine', 'robustness.unknown-type', 'robustness.large-body'],
      'deduplication.same-delivery',
    ];
    const { cwd, write } = createFixtureProject();
    write('events/robots', { description: 'A robot.', payload: { kind: 'robot', key: 'r1' } });
    const config = (fields: object) =>
      writeFileSync(
        join(cwd, 'svc.config.json'),
        JSON.stringify({ senders: { acme: { ...acme, ...fields } } }),
      );
    await using receiver = await createReceiver({ status: 204 });
    const options = { url: receiver.url, rule, eventType: undefined, sender: 'acme' };

    config({});
    const { out } = await check(options, { cwd });
    expect(out).toContain('Deliveries of acme have no event ID.');
    expect(out).toContain('Receivers of acme do not see the event type.');
    expect(out).not.toMatch(/skipped +robustness\.large-body/);
    const { headers, body } = await receiver.request(1);
    expect(headers).toMatchObject({ 'acme-attempt': '1' });
    expect(body.toString()).toBe('{"kind":"robot","key":"r1"}');

    config({ event_id: 'key', event_type: 'kind' });
    const second = await check(options, { cwd });
    expect(second.out).not.toContain('skipped');
    const sent = JSON.parse((await receiver.request(receiver.requests.length)).body.toString());
    expect(sent).toMatchObject({ kind: 'robot', key: expect.stringMatching(/^evt_/) });

    config({ headers: { 'Acme-Id': '{id}' }, event_type: 'kind', types: 'robots|acme\\..+' });
    const third = await check(options, { cwd });
    expect(third.out).not.toMatch(/skipped +deduplication/);
    expect(third.out).toContain('The event types of acme include none that svc can make up');
    const last = await receiver.request(receiver.requests.length);
    expect(last.headers).toMatchObject({ 'acme-id': expect.stringMatching(/^evt_/) });
  });

  it('a fixture that is not sent can be invalid', async () => {
    const { cwd, write } = createFixtureProject();
    write('events/a.b', '{');
    writeFileSync(join(cwd, 'svc.config.json'), '{}');
    await using receiver = await createReceiver({ status: 204 });
    const options = { url: receiver.url, rule: ['signature.genuine'], eventType: undefined };
    expect(await check(options, { cwd })).toMatchObject({ exitCode: 0 });
  });

  it('the hint for a sender without a fixture suggests svc fixtures import', async () => {
    const cwd = createTemporaryFolder();
    writeFileSync(join(cwd, 'svc.config.json'), JSON.stringify({ senders: { acme: { scheme: 'stripe' } } }));
    const noFixture = check({ url: 'http://127.0.0.1:1', sender: 'acme', eventType: 'a.b' }, { cwd });
    await expect(noFixture).rejects.toMatchObject({
      hint: { text: 'Create fixtures from a folder of payloads' },
    });
  });

  it('a check that was interrupted has no failure for an inconclusive check in JUnit', () => {
    const check = {
      id: 'deduplication.later',
      rule: 'deduplication',
      sent: '',
      received: '',
      meaning: '',
    } as const;
    const report = {
      ...{ ok: false, interrupted: true, strict: false, passed: 0, failed: 0, inconclusive: 1, skipped: 0 },
      ...{ observer_problem: null, checks: [{ ...check, status: 'inconclusive' as const }] },
    };
    const xml = (changes: Partial<CheckReport>) =>
      renderJUnit('svc receiver check', { ...report, ...changes }, 'http://a.example');
    expect(xml({})).toContain('failures="0" errors="0" skipped="1"');
    expect(xml({ interrupted: false, passed: 1, observer_problem: 'locked' })).toContain('failures="0"');
    expect(xml({ interrupted: false })).toContain('failures="1"');
    expect(xml({ strict: true })).toContain('failures="1"');
  });

  it.each([
    ['http://169.254.169.254/hooks', {}, 'a link-local address'],
    ['http://8.8.8.8/hooks', {}, 'must use HTTPS'],
    ['http://localhost:3000/', { SVC_PROFILE: 'strict' }, 'must be publicly reachable over HTTPS'],
  ])(
    'a check of %s with %j is rejected, because deliveries cannot go there [network.receiver-check]',
    async (url, env, message) => {
      await expect(check({ url }, { env })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining(message),
      });
    },
  );

  it.each(['http://localhost:4799/_svc/reset', 'http://[::ffff:127.0.0.1]:4799/v1/events'])(
    'a check of %s is rejected if the emulator listens there',
    async (url) => {
      const env = { SVC_CONTROL_URL: 'http://127.0.0.1:4799' };
      await expect(check({ url }, { env })).rejects.toMatchObject({
        code: 'usage',
        message: `${url} is a URL of the emulator itself.`,
      });
    },
  );

  it('--json and --format json print the same JSON report', async () => {
    await using receiver = await createReceiver(respondTo);
    const options = { url: receiver.url, rule: ['timestamp.old'] };
    const { exitCode, out } = await check(options, { json: true });
    await expectGolden('receiver-check-json', {
      'receiver check json': JSON.stringify(JSON.parse(out), null, 2),
    });
    expect(exitCode).toBe(0);
  });

  it('--junit reports a file that cannot be written before it sends a delivery', async () => {
    await using receiver = await createReceiver(respondTo);
    await expect(
      check({ url: receiver.url, junit: '.' }, { cwd: createTemporaryFolder() }),
    ).rejects.toMatchObject({
      code: 'usage',
      hint: { text: 'Choose a writable file with --junit.' },
    });
    expect(receiver.requests).toEqual([]);
  });

  it('failures are escaped in JUnit reports', () => {
    const failure = {
      id: 'signature.missing',
      rule: 'signature',
      status: 'failed',
      sent: '<a>',
      received: '\u0001',
    } as const;
    const checks = [{ ...failure, meaning: 'say "no" & go\nnow \ud800' }];
    const counts = { passed: 0, failed: 1, inconclusive: 0, skipped: 0 };
    const text = renderJUnit(
      'svc receiver check',
      { ok: false, interrupted: false, strict: false, ...counts, checks },
      'http://a',
    );
    expect(text).toContain(
      '<failure message="say &quot;no&quot; &amp; go&#10;now \ufffd">\nsent: &lt;a&gt;\nreceived: \ufffd\n</failure>',
    );
  });

  it('an interrupt ends the checks with the report of those that ended before', async () => {
    const interruption = new AbortController();
    await using receiver = await createReceiver(respondTo);
    receiver.respond((request, index) => {
      // Seven valid deliveries, a forged and an altered one come first.
      if (index === 9) interruption.abort();
      return respondTo(request);
    });
    const rule = ['signature.genuine', 'signature.other-secret', 'signature.altered-body', 'rejection'];
    const fake = { signal: interruption.signal };
    const { exitCode, out } = await check({ url: receiver.url, rule }, fake);
    expect(out).toMatch(/✓ passed +signature\.genuine/);
    expect(out).toMatch(/\nInterrupted after 3 checks: 3 passed, 0 failed, 0 inconclusive\.\n/);
    expect(exitCode).toBe(130);
  });

  it('--event-type selects the type of the events and the fixture of their payload', async () => {
    await using receiver = await createReceiver(respondTo);
    const { cwd, write } = createFixtureProject();
    write('events/parcel.lost', { description: 'A test.', payload: { at: '{{now}}', n: 1 } });
    writeFileSync(join(cwd, 'svc.config.json'), '{}');
    await check({ url: receiver.url, eventType: 'parcel.lost', rule: ['signature.genuine'] }, { cwd });
    expect(JSON.parse(String(receiver.requests[0]?.body))).toMatchObject({
      type: 'parcel.lost',
      data: { type: 'parcel.lost', payload: { at: expect.stringMatching(/^\d{4}-/), n: 1 } },
    });
    const unknown = { url: receiver.url, rule: ['signature.genuine'], eventType: 'parcel.losst' };
    expect((await check(unknown, { cwd })).err).toContain(
      'warning: No fixture exists for the event type parcel.losst. Did you mean parcel.lost?\n',
    );
    expect(JSON.parse(String(receiver.requests.at(-1)?.body)).data.payload).toEqual({});
  });

  it('--ca adds a trusted certificate authority for deliveries and the URL of --observe', async () => {
    let count = 0;
    const respond: ReceiverResponses = (request) => {
      if (request.method === 'GET') return { body: `${count}` };
      const response = respondTo(request);
      if (response.status === 204) count++;
      return response;
    };
    await using receiver = await createReceiver(respond, { certificate: getCertificate('localhost') });
    const options = { url: receiver.url, rule: ['signature.genuine'], observe: `${receiver.url}/count` };
    expect(await check(options)).toMatchObject({ exitCode: 1 });
    const cwd = createTemporaryFolder();
    writeFileSync(join(cwd, 'ca.pem'), authority);
    expect(await check({ ...options, ca: 'ca.pem' }, { cwd })).toMatchObject({ exitCode: 0 });
  });
});

describe('svc receiver example', () => {
  async function example(options: object, fake: FakeOptions = {}) {
    const { context, capturedOutput } = createFakeContext(fake);
    await exampleCommand.run(options as never, context);
    return capturedOutput;
  }

  it('--out writes the files to a folder and prints the next step', async () => {
    const cwd = createTemporaryFolder();
    const { out, err } = await example({ framework: 'next', out: 'my app' }, { cwd });
    const files = ['my app/app/webhooks/route.js', 'my app/app/webhooks/deliveries.mjs'];
    expect(out.trimEnd().split('\n')).toEqual(files);
    expect(readFileSync(join(cwd, files[0] ?? ''), 'utf8')).toContain('export async function POST');
    expect(err).toBe(
      `hint: Start it with: cd 'my app' && ${npmInstall} next react react-dom ${sqlite} && export SVC_WEBHOOK_SECRET=whsec_… && npx next dev\n`,
    );
  });

  it.each([
    ['go', 'go/receiver.go\ngo/deliveries.go\n', 'go run receiver.go deliveries.go'],
    ['java', 'java/Receiver.java\n', 'java Receiver.java'],
  ])(
    'the next step has no installation for the receiver in %s, which has no packages',
    async (framework, files, start) => {
      const { out, err } = await example({ framework, out: framework }, { cwd: createTemporaryFolder() });
      expect(out).toBe(files);
      expect(err).toBe(
        `hint: Start it with: cd ${framework} && export SVC_WEBHOOK_SECRET=whsec_… && ${start}\n`,
      );
    },
  );

  it('--tests writes tests for a test framework and prints the command that runs them', async () => {
    const cwd = createTemporaryFolder();
    const { out, err } = await example({ tests: 'rspec', out: 'spec' }, { cwd });
    expect(out).toBe('spec/webhooks_spec.rb\n');
    expect(readFileSync(join(cwd, 'spec/webhooks_spec.rb'), 'utf8')).toContain('RSpec.describe');
    expect(err).toBe('hint: Run them with: svc emulator exec -- rspec spec/webhooks_spec.rb\n');
    const junit = await example({ tests: 'junit', out: 'src/test/java' }, { cwd });
    expect(junit.err).toBe('hint: Run them with: svc emulator exec -- mvn test\n');
    const json = await example({ tests: 'go' }, { json: true });
    expect(JSON.parse(json.out)).toMatchObject({
      tests: 'go',
      start: 'svc emulator exec -- go test webhooks_test.go',
      files: [{ path: 'webhooks_test.go', content: expect.stringMatching(/^package webhooks$/m) }],
    });
  });

  it('a single file is printed unchanged, and several files after a comment with the path of each', async () => {
    expect((await example({ framework: 'php' })).out).toMatch(/^<\?php\n[\s\S]*\n}\n$/);
    expect((await example({ framework: 'fastapi' })).out).toMatch(
      /^# receiver\.py\n[\s\S]*FastAPI\(\)[\s\S]*\n# deliveries\.py\n[\s\S]*\n$/,
    );
  });

  it('--out rejects a folder that cannot be created', async () => {
    const file = join(createTemporaryFolder(), 'file');
    writeFileSync(file, '');
    await expect(example({ framework: 'h3', out: file })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`Cannot write ${file}/`),
      hint: { text: 'Pass another folder with --out.' },
    });
  });

  it('--out does not overwrite files', async () => {
    const cwd = createTemporaryFolder();
    writeFileSync(join(cwd, 'deliveries.mjs'), 'mine');
    await expect(example({ framework: 'h3', out: '.' }, { cwd })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/deliveries\.mjs already exists\.$/),
    });
    expect(readFileSync(join(cwd, 'deliveries.mjs'), 'utf8')).toBe('mine');
  });
});
