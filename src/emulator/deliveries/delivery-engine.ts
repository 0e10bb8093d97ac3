/** Puts together everything that sends deliveries: dispatcher, sender, clock commands and background jobs. */

import { SvcError } from '../../domain/errors.ts';
import type { RetentionLimits } from '../../domain/retention-limits.ts';
import { clearTimeout, setTimeout } from '../../platform/timers.ts';
import { isStorageError } from '../../store/database.ts';
import { watchDatabaseFile } from '../../store/database-file-monitor.ts';
import { toWriteError } from '../../store/group-commit.ts';
import { ListenerEndpointCleanup } from '../service/listener-endpoint-cleanup.ts';
import { startRetentionJob } from '../service/retention-job.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { ClockController } from './clock-controller.ts';
import { Dispatcher } from './dispatcher.ts';
import { createSender, type SenderOptions } from './sender.ts';

/** Real time that a stop gives to attempts in flight. */
const STOP_GRACE_MS = 5_000;

/** Real time for which a `svc listen` may be disconnected before its endpoint is removed: enough for a restart. */
const LISTENER_GRACE_MS = 10_000;

/** Old rows are removed after the first responses. */
const RETENTION_AFTER_MS = 200;

interface DeliveryEngineOptions extends Pick<SenderOptions, 'ca' | 'proxy'> {
  readonly retention: RetentionLimits;
  readonly listenerGraceMs?: number | undefined;
  readonly onInternalError: (part: string, error: unknown) => void;
}

export function createDeliveryEngine(sandbox: Sandbox, options: DeliveryEngineOptions) {
  const { retention, listenerGraceMs = LISTENER_GRACE_MS, onInternalError, ...sending } = options;
  const reportFrom = (part: string) => (error: unknown) => onInternalError(part, error);
  const { wall, rules } = sandbox;
  const sender = createSender({ wall, rule: rules.webhookUrl, limits: rules.delivery, ...sending });
  const dispatcher = new Dispatcher({
    sandbox,
    sender,
    onInternalError: reportFrom('while sending a delivery'),
  });
  const listenerCleanup = new ListenerEndpointCleanup(sandbox, {
    gracePeriodMs: listenerGraceMs,
    onInternalError: reportFrom('while removing an endpoint'),
  });
  let stopRetention = () => {};
  let stopWatchingFile = () => {};
  let retentionTimer: NodeJS.Timeout | undefined;
  return {
    sender,
    dispatcher,
    listenerCleanup,
    clock: new ClockController(sandbox, dispatcher),
    start(): void {
      dispatcher.start();
      listenerCleanup.start();
      stopWatchingFile = watchDatabaseFile(sandbox.store, reportFrom('the database'));
      retentionTimer = setTimeout(() => {
        stopRetention = startRetentionJob(sandbox, retention, reportFrom('while removing old rows'));
      }, RETENTION_AFTER_MS);
    },
    /** Gives attempts in flight up to five seconds to end. Stores the clocks. */
    async stop(): Promise<void> {
      clearTimeout(retentionTimer);
      listenerCleanup.stop();
      stopRetention();
      stopWatchingFile();
      await dispatcher.stop(STOP_GRACE_MS);
      // The database file is lost, which was reported before: nothing can be written.
      if (sandbox.store.checkFile() !== null) return;
      try {
        await sandbox.store.write(() => {
          for (const workspace of sandbox.workspaces.listLoaded()) sandbox.workspaces.persistClock(workspace);
        });
      } catch (error) {
        if (!(error instanceof SvcError) && !isStorageError(error)) throw error;
        onInternalError('the stop', toWriteError(error));
      }
    },
  };
}
