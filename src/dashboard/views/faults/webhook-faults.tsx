import { FaultForm } from './fault-form.tsx';
import { FaultList, useFaults } from './fault-list.tsx';

interface Props {
  readonly webhook: { readonly id: string; readonly workspace_id: string };
}

/** Makes attempts to an endpoint fail, and lists the faults that apply to it, including those for every endpoint. */
export function WebhookFaults({ webhook: { id, workspace_id: workspaceId } }: Props) {
  // A fault without an endpoint or a workspace applies to all.
  const query = useFaults(
    ({ on, webhook_id = id, workspace_id = workspaceId }) =>
      on === 'delivery' && webhook_id === id && workspace_id === workspaceId,
  );
  return (
    <section class="card stack" aria-label="Make it fail">
      <h3>Faults</h3>
      <FaultForm
        label="Make it fail"
        target={{ on: 'delivery', webhook_id: id }}
        initial={{ kind: 'error-response', status: '503', count: '3' }}
      />
      <FaultList query={query} emptyText="No faults." />
    </section>
  );
}
