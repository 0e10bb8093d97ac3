import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../contract/resources.ts';
import { control } from '../../control.ts';
import { showToast, withErrorToast } from '../../toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';

interface Props {
  readonly apiKey: ApiKey;
  /** Whether it is the one that this page sends with. */
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
    showToast(`The key …${last4} is revoked.`);
    onRevoked();
    onClose();
  };
  return (
    <Dialog title={`Revoke the key …${last4}?`} onClose={onClose}>
      <div class="keys-form">
        <p>What uses it is refused with 401 from now on. This cannot be taken back.</p>
        {isOwn && (
          <p class="keys-warning">
            It is the key of this page and of the commands: Trigger and <code>svc trigger</code> will be
            refused too.
          </p>
        )}
        <div class="row">
          <button type="button" class="danger" disabled={isBusy} onClick={revoke}>
            Revoke
          </button>
          <button type="button" onClick={onClose}>
            Keep it
          </button>
        </div>
      </div>
    </Dialog>
  );
}
