import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, beforeEach, describe, expect, it } from 'vitest';
import { listConfig, resolveConfig } from '../../src/config/resolve-config.ts';
import { settingNames, toOption, toVariable } from '../../src/config/settings.ts';
import { SvcError } from '../../src/domain/errors.ts';
import { toSnakeCase } from '../../src/resources/configured-value.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = createTemporaryFolder();
});

interface Given {
  readonly options?: Record<string, unknown>;
  readonly env?: Record<string, string>;
  readonly file?: Record<string, unknown>;
}

function resolve({ options = {}, env = {}, file }: Given = {}) {
  if (file) write('svc.config.json', JSON.stringify(file));
  return resolveConfig({ options, env, cwd });
}

function write(name: string, content: string): string {
  const path = join(cwd, name);
  writeFileSync(path, content);
  return path;
}

const envFile = join(tmpdir(), 'svc.env');
const ca = join(tmpdir(), 'ca.pem');

const WORKSPACE = 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

/** For each setting: its text as an option, as a variable and in the file, and the value that is read. */
const layers = {
  environment: ['production', 'production', 'production', 'production'],
  profile: ['strict', 'strict', 'strict', 'strict'],
  host: ['::1', '::1', '::1', '::1'],
  port: ['5001', '5001', 5001, 5001],
  db: [':memory:', ':memory:', ':memory:', ':memory:'],
  seed: [ca, ca, ca, ca],
  speed: ['0.5', '0.5', 0.5, 0.5],
  freeze: [true, '1', true, true],
  randomSeed: ['7', '7', 7, 7],
  wallClock: [
    ...['2026-11-20T12:00Z', '2026-11-20T13:00:00+01:00', '2026-11-20T12:00:00Z'],
    '2026-11-20T12:00:00.000Z',
  ],
  keepDays: ['30', '30', 30, 30],
  keepMegabytes: ['8', '8', 8, 8],
  forwardTo: [':3000/x', 'localhost:3000/x', 'http://localhost:3000/x', 'http://localhost:3000/x'],
  events: ['a.b, c.d', 'a.b,c.d', ['a.b', 'c.d'], ['a.b', 'c.d']],
  envFile: [envFile, envFile, envFile, envFile],
  https: [true, '1', true, true],
  allowHost: ['A.b, 10.0.2.2', 'A.b,10.0.2.2', ['A.b', '10.0.2.2'], ['a.b', '10.0.2.2']],
  publicUrl: ['https://h:1/', 'https://h:1/', 'https://h:1', 'https://h:1'],
  tunnel: [true, '1', true, true],
  open: [true, '1', true, true],
  proxy: ['http://h:1', 'http://h:1', 'http://h:1', 'http://h:1'],
  ca: [ca, ca, ca, ca],
  controlUrl: ['http://h:1', 'http://h:1', 'http://h:1', 'http://h:1'],
  controlToken: ['0123456789abcdef', '0123456789abcdef', '0123456789abcdef', '0123456789abcdef'],
  apiKey: ['svc_test_a', 'svc_test_a', 'svc_test_a', 'svc_test_a'],
  workspaceId: [WORKSPACE, WORKSPACE, WORKSPACE, WORKSPACE],
  sender: ['stripe', 'stripe', 'stripe', 'stripe'],
} as const;
const layered = Object.entries(layers).map(
  ([name, forms]) => [name as keyof typeof layers, ...forms] as const,
);

describe('the sources of settings', () => {
  it('the default settings are those of a sandbox on a laptop', async () => {
    const { values, sources, file, projectFolder } = await resolve();
    expect(values).toEqual({
      environment: 'sandbox',
      profile: 'relaxed',
      host: '127.0.0.1',
      port: 4777,
      db: join(cwd, '.svc', 'sandbox.db'),
      seed: null,
      speed: 1,
      freeze: false,
      randomSeed: null,
      wallClock: null,
      keepDays: 30,
      keepMegabytes: 1024,
      forwardTo: null,
      events: ['*'],
      envFile: null,
      https: false,
      allowHost: [],
      publicUrl: null,
      tunnel: false,
      open: false,
      proxy: null,
      ca: null,
      controlUrl: null,
      controlToken: null,
      apiKey: null,
      workspaceId: null,
      overrides: {},
      senders: {},
      sender: 'svc',
    });
    expect(new Set(Object.values(sources).map(({ kind }) => kind))).toEqual(new Set(['default']));
    expect({ file, projectFolder }).toEqual({ file: null, projectFolder: cwd });
  });

  it('the table of this test has every setting', () => {
    expect(Object.keys(layers)).toEqual(
      settingNames.filter((name) => name !== 'overrides' && name !== 'senders'),
    );
  });

  it.each(layered)('the setting %s is read from its option', async (name, flag, _, __, value) => {
    const option = toOption(name).slice(2);
    const attribute = option.replace(/-([a-z])/g, (___, letter: string) => letter.toUpperCase());
    const { values, sources } = await resolve({ options: { [attribute]: flag } });
    expect(values[name]).toEqual(value);
    expect(sources[name]).toEqual({ kind: 'flag', name: `--${option}` });
  });

  it.each(layered)('the setting %s is read from its variable', async (name, _, variable, __, value) => {
    const { values, sources } = await resolve({ env: { [toVariable(name)]: variable } });
    expect(values[name]).toEqual(value);
    expect(sources[name]).toEqual({ kind: 'variable', name: toVariable(name) });
  });

  it.each(layered)('the setting %s is read from the file', async (name, _, __, written, value) => {
    const { values, sources } = await resolve({ file: { [toSnakeCase(name)]: written } });
    expect(values[name]).toEqual(value);
    expect(sources[name]).toEqual({ kind: 'file', name: join(cwd, 'svc.config.json') });
  });

  it('an option overrides a variable, and a variable overrides the file', async () => {
    const file = { port: 3, host: 'file', speed: 3 };
    const env = { SVC_PORT: '2', SVC_HOST: 'variable' };
    const { values, sources } = await resolve({ options: { port: '1' }, env, file });
    expect([values.port, values.host, values.speed]).toEqual([1, 'variable', 3]);
    expect([sources.port.kind, sources.host.kind, sources.speed.kind]).toEqual(['flag', 'variable', 'file']);
  });

  it('an empty variable and an option that is not a setting are ignored', async () => {
    const { sources } = await resolve({ options: { json: true }, env: { SVC_PORT: '' } });
    expect(sources.port.kind).toBe('default');
  });

  it('overrides and senders are only read from the file', async () => {
    const overrides = { 'retry.jitter': 0 };
    const { values } = await resolve({
      options: { overrides: 'x', senders: 'x' },
      env: { SVC_OVERRIDES: 'x', SVC_SENDERS: 'x' },
      file: { overrides, senders: { acme: {} } },
    });
    expect(values.overrides).toEqual(overrides);
    expect(Object.keys(values.senders)).toEqual(['acme']);
  });
});

describe('paths', () => {
  it('the default database has the name of the environment', async () => {
    const { values } = await resolve({ options: { environment: 'production' } });
    expect(values.db).toBe(join(cwd, '.svc', 'production.db'));
  });

  it('paths are relative to the file that contains them, otherwise to the working folder', async () => {
    const nested = join(cwd, 'a', 'b');
    mkdirSync(nested, { recursive: true });
    const path = write('svc.config.json', '{"env_file": "here.env"}');
    write('package.json', '{}');
    const config = await resolveConfig({ options: { db: 'mine.db' }, env: {}, cwd: nested });
    expect(config.values.envFile).toBe(join(cwd, 'here.env'));
    expect(config.values.db).toBe(join(nested, 'mine.db'));
    expect({ file: config.file, projectFolder: config.projectFolder }).toEqual({
      file: path,
      projectFolder: cwd,
    });
  });

  it('each setting that is a path is relative to the working folder on the command line', async () => {
    const names = ['db', 'seed', 'envFile', 'ca'] as const;
    const { values } = await resolve({
      options: { db: 'x', seed: 'x', writeEnv: 'x', ca: 'x' },
    });
    expect(names.map((name) => values[name])).toEqual(names.map(() => join(cwd, 'x')));
  });

  it('the default database is next to the configuration file of the project', async () => {
    const nested = join(cwd, 'a');
    mkdirSync(nested);
    write('svc.config.json', '{}');
    write('package.json', '{}');
    const { values } = await resolveConfig({ options: {}, env: {}, cwd: nested });
    expect(values.db).toBe(join(cwd, '.svc', 'sandbox.db'));
  });

  it('settings come from the nearest configuration file', async () => {
    const nested = join(cwd, 'a');
    mkdirSync(nested);
    write('svc.config.json', '{"port": 1}');
    writeFileSync(join(nested, 'svc.config.json'), '{"port": 2}');
    const { values } = await resolveConfig({ options: {}, env: {}, cwd: nested });
    expect(values.port).toBe(2);
  });
});

describe('invalid values', () => {
  it('each line of golden/invalid-settings.txt is refused with the message and the hint below it', async () => {
    const golden = join(import.meta.dirname, 'golden/invalid-settings.txt');
    const lines = Array.from(readFileSync(golden, 'utf8').matchAll(/^(\w+) (\{.*\})$/gm));
    const sections: string[] = [];
    for (const [line, source = '', text = ''] of lines) {
      const error = await resolve({ [source]: JSON.parse(text) }).catch((refused: SvcError) => refused);
      assert(error instanceof SvcError, `${line} is accepted`);
      expect(error.code, line).toBe('validation_failed');
      const { text: hint = null, command } = error.hint ?? {};
      const shown = [line, error.message];
      if (hint !== null) shown.push(`hint: ${hint}${command === undefined ? '' : ` with: ${command}`}`);
      sections.push(shown.join('\n').replaceAll(cwd, 'FOLDER'));
    }
    await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot(golden);
  });

  it.each([
    ['variable', { env: { SVC_CONTROL_TOKEN: 'fifteen-letters' } }],
    ['file', { file: { control_token: 'fifteen-letters' } }],
  ])(
    'the error of an invalid control token in a %s does not show it [files.config-output]',
    async (_, input) => {
      const error: SvcError = await resolve(input).catch((refused) => refused);
      expect(error.message).toMatch(
        /^Invalid value for (SVC_CONTROL_TOKEN|control_token in svc\.config\.json)$/,
      );
      expect(JSON.stringify(error)).not.toContain('fifteen');
    },
  );

  it('a Boolean variable can be false', async () => {
    expect((await resolve({ env: { SVC_FREEZE: 'false' } })).values.freeze).toBe(false);
  });
});

describe('the configuration file', () => {
  it('a file that is not JSON is refused with line and column', async () => {
    const path = write('svc.config.json', '{\n  "port": 4777,\n  "host" "x"\n}');
    await expect(resolve()).rejects.toMatchObject({
      code: 'usage',
      message: `${path} is not valid JSON: see line 3, column 10.`,
      hint: { text: `Correct the content of ${path}` },
    });
  });

  it('a file can start with a byte order mark', async () => {
    write('svc.config.json', '\uFEFF{"port": 1}');
    expect((await resolve()).values.port).toBe(1);
  });

  it.each(['[]', 'null', '"x"'])('a file that contains %s is refused', async (content) => {
    write('svc.config.json', content);
    await expect(resolve()).rejects.toThrow('svc.config.json must contain an object.');
  });

  it('a folder in the place of the file is refused', async () => {
    mkdirSync(join(cwd, 'svc.config.json'));
    await expect(resolve()).rejects.toThrow('svc.config.json cannot be read: it is a folder.');
  });

  it('a file can be a module', async () => {
    const path = write('svc.config.mjs', 'export default { port: 2 + 2 };');
    const { values, sources } = await resolve();
    expect(values.port).toBe(4);
    expect(sources.port).toEqual({ kind: 'file', name: path });
  });

  it('a module without a default export is refused', async () => {
    write('svc.config.mjs', 'export const port = 1;');
    await expect(resolve()).rejects.toThrow('svc.config.mjs must have an object as its default export.');
  });

  it('two configuration files in one folder are refused', async () => {
    write('svc.config.json', '{}');
    write('svc.config.mjs', 'export default {};');
    await expect(resolve()).rejects.toMatchObject({
      code: 'usage',
      hint: { text: 'Delete all but one of them.' },
    });
  });
});

describe('listConfig', () => {
  it('listConfig shows every setting with its source, and no secret [files.config-output]', async () => {
    const apiKey = 'svc_test_0123456789abcdefWXYZ';
    const token = 'a-token-that-nobody-can-guess';
    const lines = listConfig(await resolve({ env: { SVC_API_KEY: apiKey, SVC_CONTROL_TOKEN: token } }));
    expect(lines.map(({ setting }) => setting)).toEqual(settingNames.map(toSnakeCase));
    expect(lines.find(({ setting }) => setting === 'api_key')).toEqual({
      setting: 'api_key',
      value: 'svc_test_…WXYZ',
      source: 'variable',
      from: 'SVC_API_KEY',
      description: 'API key that commands use',
    });
    for (const secret of [apiKey, token]) expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('listConfig shows overrides and senders as the file has them', async () => {
    const overrides = { 'retry.jitter': 0 };
    const senders = { acme: { scheme: { content: '{body}' }, retry: ['1m'] } };
    const lines = listConfig(await resolve({ file: { overrides, senders } }));
    const values = lines.filter(({ source }) => source === 'file').map(({ value }) => value);
    expect(values).toEqual([overrides, senders]);
  });

  it('listConfig masks the password of a proxy [files.config-output]', async () => {
    const lines = listConfig(await resolve({ env: { SVC_PROXY: 'http://me:p@ss@proxy.example:3128' } }));
    const { value } = lines.find(({ setting }) => setting === 'proxy') ?? {};
    expect(value).toBe('http://me:…@proxy.example:3128');
  });

  it('listConfig masks the token in a link to the dashboard [files.config-output]', async () => {
    const SVC_CONTROL_URL = 'http://192.168.1.5:4777/?token=0123456789abcdef#/events';
    const lines = listConfig(await resolve({ env: { SVC_CONTROL_URL } }));
    const { value } = lines.find(({ setting }) => setting === 'control_url') ?? {};
    expect(value).toBe('http://192.168.1.5:4777/?token=…#/events');
  });
});
