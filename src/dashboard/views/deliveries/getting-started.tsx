import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { workspaceId } from '../../session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { usePolling } from '../../use-polling.ts';
import { useQuery } from '../../use-query.ts';

/** What a newcomer sees in place of the list: how the first delivery comes about. */
export function GettingStarted() {
  return (
    <section class="deliveries-first">
      <h2>No deliveries yet</h2>
      <p>Every event is delivered to the endpoints that subscribe to it. The first one shows here at once:</p>
      <ol>
        <li>
          <ReceiverStep />
        </li>
        <li>
          Trigger an event: on the page <a href={toHash({ section: 'trigger' })}>Trigger</a>, or
          <Example command="svc trigger order.shipped" />
        </li>
      </ol>
    </section>
  );
}

/** Where events go, or how the emulator is told. */
function ReceiverStep() {
  const workspace = workspaceId.value;
  const { value: known, refetch } = useQuery(
    () => control.listWebhooks({ workspace_id: workspace, limit: 1 }),
    [workspace],
  );
  usePolling(refetch);
  const [endpoint] = known?.data ?? [];
  if (endpoint !== undefined) {
    return (
      <>
        Start your receiver: events go to{' '}
        <a href={toHash({ section: 'webhooks', id: endpoint.id })}>{endpoint.url}</a>
        {known?.has_more && ' and to other endpoints'}.
      </>
    );
  }
  return (
    <>
      Tell the emulator where your receiver is: on the page{' '}
      <a href={toHash({ section: 'webhooks' })}>Endpoints</a>, or
      <Example command="svc listen --forward-to http://localhost:3000/webhooks" />
    </>
  );
}

function Example({ command }: { readonly command: string }) {
  return (
    <span class="deliveries-example">
      <code>{command}</code> <CopyButton what="the command" text={command} />
    </span>
  );
}
