/** What sends deliveries and looks after them: the dispatcher, its sender and what runs beside them. */

import type { RetentionLimits } from '../domain/retention-limits.ts';
import { persistClock } from '../sandbox/clock-persistence.ts';
import { ListenerEndpoints } from '../sandbox/listener-endpoints.ts';
import { startRetentionJob } from '../sandbox/retention-job.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { watchDatabaseFile } from '../store/database-file-monitor.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import { ClockController } from './clock-controller.ts';
import { Dispatcher } from './dispatcher.ts';
import { createSender, type Sender, type SenderOptions } from './sender.ts';

/** Real time that a stop gives to attempts under way. */
const STOP_GRACE_MS = 5_000;

/** How long a listener may be gone, in real time: enough for a connection that was lost, or a restart. */
const LISTENER_GRACE_MS = 10_000;

/** The HTTP client takes tens of milliseconds to load: after the first answers, and before most first deliveries. */
const PREPARE_AFTER_MS = 200;

export interface DeliveryEngineOptions extends Pick<SenderOptions, 'isOwnAddress' | 'ca' | 'proxy'> {
  readonly retention: RetentionLimits;
  readonly listenerGraceMs?: number | undefined;
  /** Told of faults of the emulator itself, and what it was at. */
  readonly onInternalError: (where: string, fault: unknown) => void;
}

export interface DeliveryEngine {
  readonly sender: Sender;
  readonly dispatcher: Dispatcher;
  readonly listenerEndpoints: ListenerEndpoints;
  readonly clock: ClockController;
  start(): void;
  /** Lets attempts under way end for up to five seconds, and writes down where the clocks stand. */
  stop(): Promise<void>;
}

export function createDeliveryEngine(sandbox: Sandbox, options: DeliveryEngineOptions): DeliveryEngine {
  const { retention, listenerGraceMs = LISTENER_GRACE_MS, onInternalError, ...sending } = options;
  const at = (where: string) => (fault: unknown) => onInternalError(where, fault);
  const sender = createSender({ wall: sandbox.wall, rule: sandbox.rules.webhookUrl, ...sending });
  const dispatcher = new Dispatcher({ sandbox, sender, onInternalError: at('a delivery') });
  const onListenerFault = at('the removal of an endpoint');
  const listenerEndpoints = new ListenerEndpoints(sandbox, {
    gracePeriodMs: listenerGraceMs,
    onInternalError: onListenerFault,
  });
  let endRetention = () => {};
  let endWatch = () => {};
  let preparing: NodeJS.Timeout | undefined;
  return {
    ...{ sender, dispatcher, listenerEndpoints, clock: new ClockController(sandbox, dispatcher) },
    start() {
      dispatcher.start();
      listenerEndpoints.start();
      endWatch = watchDatabaseFile(sandbox.store, at('the database'));
      endRetention = startRetentionJob(sandbox, retention, at('the removal of old rows'));
      // The first delivery loads it again where it cannot be read now.
      preparing = setTimeout(
        () => void sender.loadHttpClient().catch(at('the HTTP client')),
        PREPARE_AFTER_MS,
      );
    },
    async stop() {
      clearTimeout(preparing);
      listenerEndpoints.stop();
      endRetention();
      endWatch();
      await dispatcher.stop(STOP_GRACE_MS);
      // Its loss has been reported, and nothing can be written any more.
      if (sandbox.store.checkFile() !== null) return;
      await sandbox.store.write(() => {
        for (const workspace of sandbox.workspaces.listLoaded()) persistClock(sandbox, workspace);
        sandbox.store.retention.recordAge(sandbox.store.lastSeq, sandbox.wall.now());
      });
    },
  };
}
