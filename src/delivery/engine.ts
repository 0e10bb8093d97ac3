/** What sends deliveries and looks after them: the dispatcher, its sender and what runs beside them. */

import type { RetentionLimits } from '../domain/retention-limits.ts';
import { keepClock } from '../sandbox/clock-keeping.ts';
import { Listeners } from '../sandbox/listeners.ts';
import { startRetention } from '../sandbox/retention.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { watchStorage } from '../sandbox/storage-watch.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import { ClockDriver } from './clock-driver.ts';
import { Dispatcher } from './dispatcher.ts';
import { createSender, type Sender, type SenderOptions } from './sender.ts';

/** Real time that a stop gives to attempts under way. */
const STOP_GRACE_MS = 5_000;

/** How long a listener may be gone, in real time: enough for a connection that was lost, or a restart. */
const LISTENER_GRACE_MS = 10_000;

/** The HTTP client takes tens of milliseconds to load: after the first answers, and before most first deliveries. */
const PREPARE_AFTER_MS = 200;

export interface EngineOptions extends Pick<SenderOptions, 'isOwnAddress' | 'ca' | 'proxy'> {
  readonly retention: RetentionLimits;
  readonly listenerGraceMs?: number | undefined;
  /** Told of faults of the emulator itself, and what it was at. */
  readonly onFault: (where: string, fault: unknown) => void;
}

export interface Engine {
  readonly sender: Sender;
  readonly dispatcher: Dispatcher;
  readonly listeners: Listeners;
  readonly clock: ClockDriver;
  start(): void;
  /** Lets attempts under way end for up to five seconds, and writes down where the clocks stand. */
  stop(): Promise<void>;
}

export function createEngine(sandbox: Sandbox, options: EngineOptions): Engine {
  const { retention, listenerGraceMs = LISTENER_GRACE_MS, onFault, ...sending } = options;
  const at = (where: string) => (fault: unknown) => onFault(where, fault);
  const sender = createSender({ wall: sandbox.wall, rule: sandbox.rules.webhookUrl, ...sending });
  const dispatcher = new Dispatcher({ sandbox, sender, onFault: at('a delivery') });
  const onListenerFault = at('the removal of an endpoint');
  const listeners = new Listeners(sandbox, { graceMs: listenerGraceMs, onFault: onListenerFault });
  let endRetention = () => {};
  let endWatch = () => {};
  let preparing: NodeJS.Timeout | undefined;
  return {
    ...{ sender, dispatcher, listeners, clock: new ClockDriver(sandbox, dispatcher) },
    start() {
      dispatcher.start();
      listeners.start();
      endWatch = watchStorage(sandbox.store, at('the database'));
      endRetention = startRetention(sandbox, retention, at('the removal of old rows'));
      // The first delivery loads it again where it cannot be read now.
      preparing = setTimeout(() => void sender.prepare().catch(at('the HTTP client')), PREPARE_AFTER_MS);
    },
    async stop() {
      clearTimeout(preparing);
      listeners.stop();
      endRetention();
      endWatch();
      await dispatcher.stop(STOP_GRACE_MS);
      // Its loss has been reported, and nothing can be written any more.
      if (sandbox.store.lookForFile() !== null) return;
      await sandbox.store.write(() => {
        for (const workspace of sandbox.workspaces.all()) keepClock(sandbox, workspace);
        sandbox.store.retention.mark(sandbox.store.lastSeq, sandbox.wall.now());
      });
    },
  };
}
