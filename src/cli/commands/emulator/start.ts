import { once } from 'node:events';
import type { Command } from 'commander';
import {
  assertStateFolderTrusted,
  createRunFile,
  createStateFolder,
  ensureRunFile,
  findOwnRunFile,
  type RunFile,
  removeRunFile,
} from '../../../control/run-file.ts';
import type { Emulator } from '../../../emulator.ts';
import { clearInterval, setInterval } from '../../../timers.ts';
import { bootEmulator } from '../../boot-emulator.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { envFileHelp, writeEnvFile } from '../../env-file.ts';
import { toEnvVariables } from '../../env-variables.ts';
import { writeCertificate } from '../../https-options.ts';
import { openUrl } from '../../open-url.ts';
import { announceReady } from '../../ready-line.ts';
import { renderAttempt } from '../../render/deliveries.ts';
import { renderReset } from '../../render/reset.ts';
import { assertNoneRunning } from '../../running-emulator.ts';
import { startDetached } from '../../start-detached.ts';
import { addStartOptions } from '../../start-options.ts';
import { warnIfNotListening, watchReceiver } from '../../watch-receiver.ts';

const RUN_FILE_CHECK_INTERVAL_MS = 500;

/** Beside the settings, which the configuration reads. */
interface Options {
  readonly detach?: true;
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
    'emulator start --host 0.0.0.0',
    'emulator start --tunnel',
    'emulator start --public-url https://svc.example.com',
  ],
  run,
};

const NOTE_ON_TOKEN = `
Where other machines can reach it (--host, --public-url, --tunnel), its dashboard and its control plane ask for a
token. It is in the link that is printed; commands of this folder know it, others take it from SVC_CONTROL_TOKEN.`;

function configure(command: Command): void {
  addStartOptions(command)
    .option('--detach', 'run in the background, and return when it is ready')
    .addHelpText('after', NOTE_ON_TOKEN)
    .addHelpText('after', envFileHelp('emulator start'));
}

async function run(options: Options, context: Context): Promise<void> {
  const config = await context.config(options);
  const rules = await context.rules(options);
  const { values, projectFolder } = config;
  await assertNoneRunning(config, context);
  if (options.detach) {
    const { status, log } = await startDetached(context, projectFolder);
    const certificate = findOwnRunFile(projectFolder, context.env)?.certificate ?? null;
    announceReady(status, certificate, values, rules, context);
    if (values.forwardTo !== null) await warnIfNotListening(values.forwardTo, context.io);
    context.io.note(`It runs in the background: svc emulator stop ends it. Its log is ${log}.`);
    return;
  }
  assertStateFolderTrusted(projectFolder, context.env);
  const emulator = await bootEmulator(config, rules, context);
  const status = emulator.status();
  let endKeeping = () => {};
  try {
    const stateFolder = createStateFolder(projectFolder, context.env);
    const certificate = writeCertificate(stateFolder, emulator.certificate);
    // The commands of this folder come from this machine, whatever the public address is.
    const control_url = `${status.url}/_svc`;
    const runFile = { ...status, control_url, ...(certificate && { certificate }) };
    createRunFile(projectFolder, runFile, context.env);
    endKeeping = restoreRunFileIfRemoved(projectFolder, runFile, context.env);
    if (values.envFile !== null) writeEnvFile(values.envFile, toEnvVariables(status, certificate));
    announceReady(status, certificate, values, rules, context);
    if (values.open) void showDashboard(status.dashboard_url, context);
    await printUntilStopped(emulator, values.forwardTo, context);
  } finally {
    endKeeping();
    removeRunFile(projectFolder, status.pid);
    await emulator.close();
  }
}

/** `git clean -fdx` and the like remove it while the emulator runs. @returns a function that ends that. */
function restoreRunFileIfRemoved(projectFolder: string, run: RunFile, env: Context['env']): () => void {
  const timer = setInterval(() => {
    try {
      ensureRunFile(projectFolder, run, env);
    } catch {
      // Where the folder cannot be written, commands name the emulator with --url.
    }
  }, RUN_FILE_CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function showDashboard(url: string, context: Context): Promise<void> {
  if (await openUrl(url, context)) return;
  context.io.note(`No browser can be opened here; the dashboard is at ${url}`);
}

/** Shows what the emulator sends until it is stopped, or the person interrupts. */
async function printUntilStopped(
  { closed, control }: Emulator,
  forwardTo: string | null,
  context: Context,
): Promise<void> {
  const stopped = new AbortController();
  closed.then(() => stopped.abort());
  const end = AbortSignal.any([context.signal, stopped.signal]);
  if (forwardTo !== null) void watchReceiver(forwardTo, { io: context.io, signal: end });
  if (context.json) {
    if (!end.aborted) await once(end, 'abort');
    return;
  }
  for await (const item of control.stream({ types: 'attempt' }, end)) {
    if (item.type === 'attempt') context.io.write(renderAttempt(item, context));
    if (item.type === 'reset') context.io.note(renderReset(context.io.noteCapabilities));
  }
}
