/** Reports a problem with the database file of the running emulator and offers to restore it. */
import { useState } from 'preact/hooks';
import { control } from './control.ts';
import { refreshStatus, status } from './session.ts';
import { showToast, withErrorToast } from './toasts.ts';
import { usePolling } from './use-polling.ts';

export function DatabaseFileAlert() {
  const [isBusy, setBusy] = useState(false);
  usePolling(refreshStatus);
  const problem = status.value?.storage_problem;
  if (problem === undefined) return null;
  async function restore(): Promise<void> {
    setBusy(true);
    const restored = await withErrorToast(control.restoreDatabase({}));
    setBusy(false);
    if (restored === undefined) return;
    status.value = restored;
    showToast('Database file restored.');
  }
  return (
    <section class="database-alert" role="alert">
      <p>
        <strong>{problem.message}</strong> {problem.hint}
      </p>
      {problem.kind === 'removed' && (
        <button type="button" disabled={isBusy} onClick={() => void restore()}>
          Restore the file
        </button>
      )}
    </section>
  );
}
