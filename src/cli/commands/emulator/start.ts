import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { Command } from 'commander';
import { type SettingName, settings, toOption } from '../../../config/settings.ts';
import type { Config, ConfigValues } from '../../../config.ts';
import type { EmulatorStatus } from '../../../contract/resources.ts';
import { createHttpControlPlane } from '../../../control/http-client.ts';
import { createRunFile, createStateFolder, findRunFile, removeRunFile } from '../../../control/run-file.ts';
import type { Emulator } from '../../../emulator.ts';
import { SvcError } from '../../../errors.ts';
import type { Rules } from '../../../profile/rules.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { startDetached } from '../../detach.ts';
import { keepCertificate, toHttps } from '../../https.ts';
import { findProxy } from '../../proxy.ts';
import { announce } from '../../ready.ts';
import { renderAttempt } from '../../render/deliveries.ts';
import { findTarget } from '../../target.ts';
import { readNamedFile } from '../../values.ts';
import { renderVariables, toVariables } from '../../variables.ts';

/** Settings on the command line, as text; the configuration reads them. */
interface Options {
  readonly detach?: true;
  readonly freeze?: true;
  readonly https?: true;
}

export const command: CommandDefinition<Options> = {
  configure,
  examples: [
    'emulator start',
    'emulator start --port 0 --db :memory: --json',
    'emulator start --forward-to localhost:3000/webhooks',
    'emulator start --forward-to 3000 --events order.shipped,invoice.paid',
    'emulator start --speed 3600 --detach',
    'emulator start --env-file .env.local',
    'emulator start --https',
  ],
  run,
};

/** The settings that are options here, with what stands for their value in the help. */
const valuesOfOptions: Partial<Record<SettingName, string>> = {
  port: 'port',
  host: 'address',
  db: 'file',
  environment: 'name',
  profile: 'name',
  speed: 'n',
  forwardTo: 'url',
  events: 'list',
  envFile: 'file',
  ca: 'file',
  proxy: 'url',
  cert: 'file',
  key: 'file',
  keepDays: 'n',
  randomSeed: 'n',
};

/** It reads every --env-file on the command line of a program as its own, unless a lone -- stands before it. */
const NODE_20_NOTE = `
Node 20 takes --env-file for itself and fails when there is no such file yet. Write svc -- emulator start
--env-file FILE there, or set SVC_ENV_FILE.`;

function configure(command: Command): void {
  for (const [name, value] of Object.entries(valuesOfOptions)) {
    const setting = name as SettingName;
    command.option(`${toOption(setting)} <${value}>`, settings[setting].description);
  }
  command
    .option(toOption('freeze'), settings.freeze.description)
    .option(toOption('https'), settings.https.description)
    .option('--detach', 'run in the background, and return when it is ready')
    .addHelpText('after', NODE_20_NOTE);
}

async function run(options: Options, context: Context): Promise<void> {
  const config = await context.config(options);
  const rules = await context.rules(options);
  const { values, projectFolder } = config;
  if (options.detach) {
    const status = await startDetached(context, projectFolder);
    announce(status, findRunFile(projectFolder)?.certificate ?? null, rules, context);
    context.io.note('It runs in the background: svc emulator stop ends it.');
    return;
  }
  createStateFolder(projectFolder);
  const emulator = await boot(config, rules, context);
  const status = emulator.status();
  try {
    const certificate = keepCertificate(projectFolder, emulator.certificate);
    createRunFile(projectFolder, { ...status, ...(certificate && { certificate }) });
    if (values.envFile !== null) writeVariables(values.envFile, status, certificate);
    announce(status, certificate, rules, context);
    await attend(emulator, context);
  } finally {
    removeRunFile(projectFolder, status.pid);
    await emulator.close();
  }
}

async function boot({ values, sources }: Config, rules: Rules, { io, cwd, env }: Context): Promise<Emulator> {
  const { startEmulator } = await import('../../../emulator.ts');
  const { host, port, db, environment, speed, freeze, randomSeed, keepDays, forwardTo, events } = values;
  const ca = values.ca === null ? undefined : await readNamedFile(values.ca, cwd);
  try {
    return await startEmulator({
      ...{ host, port, db, environment, rules },
      https: toHttps(values),
      // What nobody said goes on as the database has it.
      clock: {
        ...(sources.speed.kind === 'default' ? {} : { speed }),
        ...(sources.freeze.kind === 'default' ? {} : { frozen: freeze }),
      },
      ca: ca?.toString('utf8'),
      proxy: findProxy(values.proxy, env),
      ...{ randomSeed, keepDays },
      forwardTo: forwardTo === null ? undefined : { url: forwardTo, events },
      faultLog: {
        report: (requestId, fault) => io.note(`${requestId} met a fault in svc: ${inspect(fault)}`),
      },
    });
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'port_in_use') throw error;
    throw new SvcError('port_in_use', error.message, { hint: await findOccupant(values, cwd), cause: error });
  }
}

/** Whom to ask for the port. */
async function findOccupant(values: ConfigValues, cwd: string): Promise<string> {
  const { host, port } = values;
  const signal = AbortSignal.timeout(1_000);
  const asked = ['http', 'https'].map(async (scheme) => {
    const controlUrl = `${scheme}://${host}:${port}`;
    const target = await findTarget({ ...values, controlUrl }, cwd);
    return createHttpControlPlane({ ...target, signal }).getStatus({});
  });
  const status = await Promise.any(asked).catch(() => null);
  if (status === null) {
    return `Another program listens there: lsof -i :${port} names it. Or take any free port with --port 0.`;
  }
  return `An emulator listens there: process ${status.pid}, database ${status.db}. Stop it with svc emulator stop --url ${status.url}, or take any free port with --port 0.`;
}

function writeVariables(path: string, status: EmulatorStatus, certificate: string | null): void {
  const variables = toVariables(status, certificate);
  writeFileSync(path, `${renderVariables(variables, 'dotenv')}\n`, { mode: 0o600 });
}

/** Shows what the emulator sends until it is stopped, or the person interrupts. */
async function attend({ closed, control }: Emulator, context: Context): Promise<void> {
  const stopped = new AbortController();
  closed.then(() => stopped.abort());
  const end = AbortSignal.any([context.signal, stopped.signal]);
  if (context.json) {
    if (!end.aborted) await once(end, 'abort');
    return;
  }
  for await (const item of control.stream({ types: 'attempt' }, end)) {
    if (item.type === 'attempt') context.io.write(renderAttempt(item, context));
  }
}
