import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command as importFixtures } from '../../../src/cli/commands/fixtures-import.ts';
import { check } from '../../../src/cli/commands/gaps-check.ts';
import { record } from '../../../src/cli/commands/gaps-record.ts';
import { ExitCode } from '../../../src/domain/errors.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../../support/test-emulator.ts';
import { createFakeContext, type FakeOptions, runLine } from '../fake-context.ts';

type RecordOptions = Parameters<typeof record.run>[0];

async function setUp(options: TestEmulatorOptions = {}) {
  const emulator = await startTestEmulator(options);
  onTestFinished(emulator.close);
  const { base_url, api_key } = emulator.status();
  const folder = createTemporaryFolder();
  const createContext = (fakeOptions: FakeOptions = {}) =>
    createFakeContext({ cwd: folder, env: { SVC_API_KEY: api_key }, ...fakeOptions });
  const recordService = async (changes: Partial<RecordOptions> = {}, fakeOptions: FakeOptions = {}) => {
    const { context, capturedOutput } = createContext(fakeOptions);
    const defaults = {
      baseUrl: base_url,
      save: 'a.ndjson',
      type: 'svc.recorded',
      delay: 0,
      yes: true,
    } as const;
    await record.run({ ...defaults, ...changes }, context);
    return capturedOutput;
  };
  const checkFiles = async (
    changes: Partial<Parameters<typeof check.run>[0]> = {},
    fakeOptions: FakeOptions = {},
  ) => {
    const { context, capturedOutput } = createContext(fakeOptions);
    const exitCode = await check.run({ files: ['a.ndjson'], ...changes }, context);
    return { exitCode, ...capturedOutput };
  };
  return { emulator, folder, createContext, recordService, checkFiles, apiKey: api_key };
}

it.each([80, 200])('svc gaps prints no line over 118 columns in a terminal of %i', async (width) => {
  const { out } = await runLine(['gaps'], { width });
  const lines = out.split('\n');
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter((line) => line.length > Math.min(width, 118))).toEqual([]);
});

describe('svc gaps record', () => {
  it('the recording contains no key and no secret, and the check of the same emulator finds no difference', async () => {
    const { folder, recordService, checkFiles, apiKey } = await setUp();
    const { out, err } = await recordService();
    expect(err).toContain('hint: Compare the recording with: svc gaps check a.ndjson\n');
    expect(out).toBe('Saved a.ndjson with 42 requests.\n');
    const text = readFileSync(join(folder, 'a.ndjson'), 'utf8');
    expect(text).not.toContain(apiKey);
    expect(text).not.toMatch(/whsec_\w/);
    expect(text).toContain('Bearer svc_test_[removed]');
    const { exitCode, out: report } = await checkFiles();
    expect(report).toMatch(/\n0 different, \d+ confirmed, \d+ without evidence, from 42 requests/);
    expect(exitCode).toBe(ExitCode.success);
  });

  it('a key that the service rejects is an error', async () => {
    const { recordService } = await setUp();
    const env = { SVC_API_KEY: `svc_test_${'0'.repeat(32)}` };
    await expect(recordService({}, { env })).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('a file that cannot be written is an error before a request is sent', async () => {
    const { recordService, emulator } = await setUp();
    await expect(recordService({ save: '.' })).rejects.toMatchObject({ code: 'usage' });
    expect((await emulator.control.listRequests({})).data).toEqual([]);
  });

  it('a service that does not respond is not said to be an emulator', async () => {
    const { recordService } = await setUp();
    await expect(recordService({ baseUrl: 'http://127.0.0.1:1/v1' })).rejects.toMatchObject({
      message: 'No response from http://127.0.0.1:1 (ECONNREFUSED).',
      hint: { text: 'Check the base address, and that the service is reachable from this machine.' },
    });
  });
});

describe('svc gaps check', () => {
  const overrides = { 'event.body': 'data', 'list.workspace': 'workspace' };

  it('--write merges the overrides into svc.config.json, and the next check finds no difference', async () => {
    const { folder, recordService, checkFiles } = await setUp({ overrides });
    await recordService();
    const config = join(folder, 'svc.config.json');
    writeFileSync(config, '{"port": 4000, "overrides": {"retry.jitter": 0.1, "list.limit": {"max": 50}}}');
    const first = await checkFiles();
    expect(first.exitCode).toBe(ExitCode.failure);
    expect(first.out).toMatch(/GET \/v1\/events: 200, accepted; svc: 400 invalid_request limit .* 50\b/);
    expect(first.err).toContain('hint: Add --write to match the service.');
    const written = await checkFiles({ write: true, yes: true });
    // The recording does not show the limit.
    expect(written.exitCode).toBe(ExitCode.failure);
    expect(written.out).toContain('"event.body": "data"');
    expect(written.err).toContain(`Saved ${config}.`);
    expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({
      port: 4000,
      overrides: {
        'retry.jitter': 0.1,
        'list.limit': { max: 50 },
        'event.body': 'data',
        'list.workspace': 'workspace',
      },
    });
    writeFileSync(config, '{}');
    expect((await checkFiles({ write: true, yes: true })).exitCode).toBe(ExitCode.success);
    const ascii = await checkFiles({}, { capabilities: { unicode: false } });
    expect(ascii).toMatchObject({ exitCode: ExitCode.success, out: expect.not.stringContaining('✓') });
  });

  it('--write does not change a file that is code', async () => {
    const { folder, recordService, checkFiles } = await setUp({ overrides });
    await recordService();
    const code = join(folder, 'svc.config.mjs');
    writeFileSync(code, 'export default {};');
    await expect(checkFiles({ write: true, yes: true })).rejects.toMatchObject({ code: 'usage' });
    expect(readFileSync(code, 'utf8')).toBe('export default {};');
  });

  it('the JSON document has the verdict, the values and the places for each gap', async () => {
    const { recordService, checkFiles } = await setUp({ overrides });
    await recordService();
    const { out } = await checkFiles({}, { json: true });
    const { data, requests } = JSON.parse(out);
    expect(requests).toBe(43);
    expect(data.find(({ gap }: { gap: string }) => gap === 'event.body')).toEqual({
      gap: 'event.body',
      verdict: 'different',
      configured: 'payload',
      observed: 'data',
      override: 'data',
      evidence: expect.arrayContaining([
        {
          file: 'a.ndjson',
          entry: expect.stringMatching(/^line \d+$/),
          at: '2026-11-20T12:00:00.000Z',
          text: 'POST /v1/events: 201, data; svc: payload',
        },
      ]),
    });
  });

  it('NDJSON of svc deliveries export is compared, with the secret from a file', async () => {
    const { emulator, folder, checkFiles } = await setUp();
    const webhook = await emulator.control.createWebhook({ url: 'http://127.0.0.1:9/', events: ['*'] });
    await emulator.api('POST', '/events', { type: 'order.shipped' });
    await emulator.control.settleClock({});
    let text = '';
    for await (const part of await emulator.control.exportDeliveries({})) text += part;
    writeFileSync(join(folder, 'a.ndjson'), text);
    writeFileSync(join(folder, 'secrets.txt'), `${webhook.secret}\n`);
    const { out, err, exitCode } = await checkFiles(
      { files: ['a.ndjson'], secret: ['@secrets.txt'] },
      { json: true },
    );
    const confirmed = JSON.parse(out).data.filter(
      ({ verdict }: { verdict: string }) => verdict === 'confirmed',
    );
    expect(confirmed.map(({ gap }: { gap: string }) => gap)).toEqual(
      expect.arrayContaining(['signature.content', 'signature.algorithm', 'envelope', 'retry.schedule']),
    );
    expect(exitCode).toBe(ExitCode.success);
    expect(out + err).not.toContain(webhook.secret);

    const twice = await checkFiles({ files: ['a.ndjson', './a.ndjson'] }, { json: true });
    expect(JSON.parse(twice.out).deliveries).toBe(JSON.parse(out).deliveries);
  });
});

describe('svc fixtures import', () => {
  it('the newest payload of each type becomes a fixture, without secrets', async () => {
    const { folder, createContext } = await setUp();
    const entry = (at: string, payload: object) => ({
      startedDateTime: at,
      request: {
        method: 'POST',
        url: 'https://sandbox.example.com/v1/events',
        postData: { text: JSON.stringify({ type: 'parcel.lost', payload }) },
      },
      response: { content: { text: `{"id":"evt_${at.slice(14, 16)}"}` } },
    });
    const entries = [
      entry('2026-11-20T12:05:00Z', {
        name: 'Zoë',
        key: 'svc_test_0123456789abcdef',
        text: '{{now}} openapi: 3',
      }),
      entry('2026-11-20T12:01:00Z', { name: 'old' }),
    ];
    writeFileSync(join(folder, 'a.json'), JSON.stringify({ log: { entries } }));
    const { context, capturedOutput } = createContext();
    await importFixtures.run({ files: ['a.json'], yes: true }, context);
    const fixture = JSON.parse(readFileSync(join(folder, 'fixtures/events/parcel.lost.json'), 'utf8'));
    expect(fixture).toEqual({
      description: 'Imported from a.json, entry 1.',
      payload: { name: 'Zoë', key: '[removed]', text: expect.stringContaining('now}} openapi: 3') },
    });
    expect(capturedOutput.err).toMatch(/parcel\.lost +2026-11-20T12:05:00\.000Z +a\.json, entry 1/);
    const missing = importFixtures.run({ files: ['a.json'], type: ['a.b'], yes: true }, context);
    await expect(missing).rejects.toMatchObject({ code: 'not_found' });
  });

  it('an OpenAPI document and a folder of payloads become fixtures, after --dry-run has shown them', async () => {
    const { folder, createContext } = await setUp();
    const document = {
      openapi: '3.1.0',
      webhooks: {
        'order.created': {
          post: { requestBody: { content: { 'application/json': { example: { at: 'Oslo' } } } } },
        },
        'parcel.seen': { post: { requestBody: { content: { 'application/json': { example: [] } } } } },
      },
    };
    writeFileSync(join(folder, 'openapi.yaml'), JSON.stringify(document));
    mkdirSync(join(folder, 'payloads/orders'), { recursive: true });
    writeFileSync(join(folder, 'payloads/orders/create.json'), '{"total":12.50}');
    const files = ['openapi.yaml', 'payloads'];
    const shown = createContext();
    await importFixtures.run({ files, type: ['order.created'], dryRun: true }, shown.context);
    expect(shown.capturedOutput.out).toMatch(/^1 fixture would be written to /);
    expect(shown.capturedOutput.err).toContain('no fixture for parcel.seen: ');
    expect(existsSync(join(folder, 'fixtures'))).toBe(false);
    await importFixtures.run({ files, yes: true }, createContext().context);
    const read = (name: string) => readFileSync(join(folder, `fixtures/events/${name}.json`), 'utf8');
    const description = expect.stringMatching(/^A customer placed/);
    expect(JSON.parse(read('order.created'))).toEqual({ description, payload: { at: 'Oslo' } });
    expect(read('orders/create')).toContain('"total": 12.50');
    for (const [name, text, problem] of [
      ['cut', '{"total":', 'is not JSON: '],
      ['a b', '{}', 'is not named as an event type.'],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, `${name}.json`), text);
      const importing = importFixtures.run({ files: [name], yes: true }, createContext().context);
      await expect(importing).rejects.toThrow(`${join(name, `${name}.json`)} ${problem}`);
    }
  });
});
