import { useState } from 'preact/hooks';
import { deliveryFaults } from '../../../domain/fault.ts';
import { control } from '../../control.ts';
import { connectFields, Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
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
      <FailureForm webhookId={id} />
      <FaultList query={query} emptyText="No faults." />
      <details>
        <summary>Other fault: delay, duplicate, reorder or tamper with deliveries</summary>
        <FaultForm
          label="Other fault"
          target={{ on: 'delivery', webhook_id: id }}
          initial={{ kind: 'duplicate', status: String(deliveryFaults['error-response'].status) }}
        />
      </details>
    </section>
  );
}

/** How the next attempts to an endpoint fail: with an error status, or in another way. */
const failures = {
  '503': '503 Service Unavailable',
  '500': '500 Internal Server Error',
  '429': '429 Too Many Requests',
  timeout: 'a timeout, immediately',
  reset: 'a connection reset',
};

function FailureForm({ webhookId }: { readonly webhookId: string }) {
  const [draft, setDraft] = useState({ count: '3', failure: '503' });
  const { count, failure } = draft;
  const form = useFormSubmit(['count'], async () => {
    const effect =
      failure === 'timeout' || failure === 'reset'
        ? { kind: failure as 'timeout' | 'reset' }
        : { kind: 'error-response' as const, status: failure };
    // Without a count, all attempts would fail.
    await control.addFault({ on: 'delivery', webhook_id: webhookId, count: count.trim() || '0', ...effect });
  });
  const field = connectFields(draft, setDraft, form.error);
  return (
    <Form label="Make it fail" form={form} action="Make it fail" tone="">
      <div class="row">
        <Field label="Fail the next attempts" {...field('count')} inputMode="numeric" />
        <Field label="with" {...field('failure')} options={failures} />
      </div>
    </Form>
  );
}
