import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../contract/resources.ts';
import { control } from '../../control.ts';
import { showToast, withErrorToast } from '../../toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';

interface Props {
  readonly apiKey: ApiKey;
  /** Whether the dashboard uses this key. */
  readonly isOwn: boolean;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ apiKey: { id, last4 }, isOwn, onRevoked, onClose }: Props) {
  const [isBusy, setBusy] = useState(false);
  const revoke = async () => {
    setBusy(true);
    const revoked = await withErrorToast(control.revokeKey({ id }));
    setBusy(false);
    if (revoked === undefined) return;
    showToast(`Key …${last4} revoked.`);
    onRevoked();
    onClose();
  };
  return (
    <Dialog title={`Revoke key …${last4}?`} onClose={onClose}>
      <div class="keys-form">
        <p>Requests with this key get a 401 response from now on. You cannot undo this.</p>
        {isOwn && (
          <p class="keys-warning">
            The dashboard and the svc commands use this key. The Trigger page and <code>svc trigger</code>{' '}
            stop working until the emulator has a new key.
          </p>
        )}
        <div class="row">
          <button type="button" class="danger" disabled={isBusy} onClick={revoke}>
            Revoke
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  );
}
