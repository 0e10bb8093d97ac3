import { formatDuration } from '../../../domain/duration.ts';
import {
  DEFAULT_ERROR_STATUS,
  type DeliveryFaultKind,
  defaultDelayMs,
  deliveryFaultDescriptions,
  deliveryFaultKinds,
} from '../../../domain/fault.ts';
import { useEventTypes } from '../../use-event-types.ts';
import { type FaultField, FaultForm, limitFields } from './fault-form.tsx';
import { FaultList, useFaults } from './fault-list.tsx';

interface Props {
  readonly webhook: { readonly id: string; readonly workspace_id: string };
}

/** How the next attempts to an endpoint fail: with an error status, or in another way. */
const failures = {
  '503': '503 Service Unavailable',
  '500': '500 Internal Server Error',
  '429': '429 Too Many Requests',
  timeout: 'a timeout, immediately',
  reset: 'a connection reset',
};

const failureFields: readonly FaultField[] = [
  { name: 'count', label: 'Fail the next attempts', inputMode: 'numeric' },
  { name: 'failure', label: 'with', options: failures },
];

/** Makes attempts to an endpoint fail, and lists the faults that apply to it, including those for every endpoint. */
export function WebhookFaults({ webhook: { id, workspace_id: workspaceId } }: Props) {
  // A fault without an endpoint or a workspace applies to all.
  const query = useFaults(
    ({ on, webhook_id = id, workspace_id = workspaceId }) =>
      on === 'delivery' && webhook_id === id && workspace_id === workspaceId,
  );
  const types = useEventTypes();
  const target = { on: 'delivery', webhook_id: id };
  return (
    <section class="card stack" aria-label="Make it fail">
      <FaultForm
        label="Make it fail"
        action="Make it fail"
        initial={{ count: '3', failure: '503' }}
        fields={() => failureFields}
        toFault={({ count = '', failure = '' }) => ({
          ...target,
          // Without a count, all attempts would fail.
          count: count === '' ? '0' : count,
          ...(failure === 'timeout' || failure === 'reset'
            ? { kind: failure }
            : { kind: 'error-response', status: failure }),
        })}
        onAdded={query.refetch}
      />
      <FaultList query={query} emptyText="No faults." />
      <details>
        <summary>Other fault: delay, duplicate, reorder or tamper with deliveries</summary>
        <FaultForm
          label="Other fault"
          initial={{ kind: 'duplicate', status: String(DEFAULT_ERROR_STATUS) }}
          fields={({ kind }) => listFields(kind as DeliveryFaultKind, types)}
          toFault={(values) => ({ ...target, ...values })}
          onAdded={query.refetch}
        />
      </details>
    </section>
  );
}

function listFields(kind: DeliveryFaultKind, types: readonly string[]): readonly FaultField[] {
  const defaultMs: number | undefined = Object.hasOwn(defaultDelayMs, kind)
    ? defaultDelayMs[kind as keyof typeof defaultDelayMs]
    : undefined;
  return [
    {
      name: 'kind',
      label: 'Fault',
      hint: `${deliveryFaultDescriptions[kind]}.`,
      options: Object.fromEntries(deliveryFaultKinds.map((kind) => [kind, kind])),
    },
    ...(kind === 'error-response'
      ? [{ name: 'status', label: 'Response status', inputMode: 'numeric' as const }]
      : []),
    ...(defaultMs === undefined
      ? []
      : [
          {
            name: 'delay',
            label: 'Duration',
            hint: `In ${kind === 'slow-body' ? 'real' : 'schedule'} time.`,
            placeholder: formatDuration(defaultMs),
          },
        ]),
    { name: 'type', label: 'Event type', placeholder: 'every type', suggestions: types },
    ...limitFields,
  ];
}
