/** `svc emulator start`: runs an emulator until it is stopped, and keeps the run file with which commands find it. */
import { once } from 'node:events';
import { createHttpControlClient } from '../../client/http-client.ts';
import type { Emulator } from '../../emulator.ts';
import { createLinkedController } from '../../platform/abort-signals.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { resolveTarget } from '../emulator-target.ts';
import { ENV_FILE_HINT, toEnvVariables, writeEnvFile } from '../env-variables.ts';
import { assertFileWritable } from '../file-access.ts';
import { startInForeground } from '../foreground-emulator.ts';
import { DETACHED } from '../process-context.ts';
import { announceReady } from '../ready-line.ts';
import { renderAttempt, renderReset } from '../render/stream-items.ts';
import { startDetached } from '../start-detached.ts';
import { startRows } from '../start-options.ts';
import { warnIfNotListening } from '../wait-for-receiver.ts';

const TOKEN_NOTE = `
If other machines can reach the emulator (--host, --public-url, --tunnel), the dashboard and the control plane require
a token. The printed dashboard link contains the token. svc commands in this folder use the token automatically.
Elsewhere, set SVC_CONTROL_TOKEN.`;

export const command = defineCommand({
  options: {
    ...startRows(),
    fresh: { option: '--fresh', summary: 'Remove all data first', group: 'Data:' },
    detach: { option: '--detach', summary: 'Run in the background, and return when the emulator is ready' },
    detached: {
      option: DETACHED,
      summary: 'Print each attempt as text after the ready line, for --detach',
      isHidden: true,
    },
  },
  notes: TOKEN_NOTE,
  examples: [
    ['Start the emulator', 'emulator start'],
    ['Register a local receiver as an endpoint', 'emulator start --forward-to localhost:3000/webhooks'],
    ['Use a free port and no database file', 'emulator start --port 0 --db :memory: --json'],
    [
      'Start in the background with a clock that is 3600 times faster',
      'emulator start --speed 3600 --detach',
    ],
    ['Write the environment variables to a file', 'emulator start --write-env .env.local'],
    ['Accept connections from other machines', 'emulator start --host 0.0.0.0'],
    ['Make the API public through cloudflared', 'emulator start --tunnel'],
  ],
  async run(options, context) {
    const config = await context.resolveConfig(options);
    const { values, projectFolder } = config;
    if (values.envFile !== null) assertFileWritable(values.envFile, ENV_FILE_HINT);
    if (options.detach) {
      const log = await startDetached(context, projectFolder);
      // The address in its run file, not a configured one.
      const settings = { ...config, values: { ...values, controlUrl: null, controlToken: null } };
      const target = await resolveTarget(settings, { cwd: projectFolder, env: context.env });
      const control = createHttpControlClient({ ...target, signal: context.signal });
      const certificate = target.certificatePath;
      await announceReady(
        await control.getStatus({}),
        control,
        { certificate, rules: await context.resolveRules(options) },
        context,
      );
      if (values.forwardTo !== null) await warnIfNotListening(values.forwardTo, context.io);
      context.io.note(
        `The emulator runs in the background and logs to ${log}. Stop it with: svc emulator stop`,
      );
      return;
    }
    const { emulator, certificate, announce } = await startInForeground(context, options, options.fresh);
    try {
      if (values.envFile !== null)
        writeEnvFile(values.envFile, toEnvVariables(emulator.status(), certificate));
      await announce(emulator.status());
      context.reportReady?.();
      const printsAttempts = !context.json || options.detached === true;
      await printUntilStopped(emulator, values.forwardTo, printsAttempts, context);
    } finally {
      await emulator.close();
    }
  },
});

/** Returns when the emulator stops or the user interrupts. */
async function printUntilStopped(
  { closed, control }: Emulator,
  forwardTo: string | null,
  printsAttempts: boolean,
  context: Context,
): Promise<void> {
  const ended = createLinkedController([context.signal]);
  void closed.then(() => ended.abort());
  const { signal } = ended;
  if (forwardTo !== null) void warnIfNotListening(forwardTo, context.io);
  if (!printsAttempts) {
    if (!signal.aborted) await once(signal, 'abort');
    return;
  }
  for await (const item of control.stream({ types: 'attempt' }, signal)) {
    if (item.type === 'attempt') context.io.write(renderAttempt(item, context));
    if (item.type === 'reset') context.io.note(renderReset(context.io.noteCapabilities));
  }
}
