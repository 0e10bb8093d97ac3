import './getting-started.css';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { workspaceId } from '../../session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useQuery } from '../../use-query.ts';

/** Shown while there are no deliveries: how to create a first delivery. */
export function GettingStarted() {
  return (
    <section class="getting-started">
      <h2>No deliveries yet</h2>
      <p>
        The emulator sends each event to the endpoints that subscribe to it. To see your first delivery here:
      </p>
      <ol>
        <li>
          <ReceiverStep />
        </li>
        <li>
          Trigger an event on the <a href={toHash({ section: 'trigger' })}>Trigger</a> page, or run
          <Example command="svc trigger order.shipped" />
        </li>
      </ol>
    </section>
  );
}

/** The endpoint that receives events, or how to add one. */
function ReceiverStep() {
  const workspace = workspaceId.value;
  const { value: endpoints } = useQuery(
    () => control.listWebhooks({ workspace_id: workspace, limit: 1 }),
    [workspace],
    { isPolled: true },
  );
  const [endpoint] = endpoints?.data ?? [];
  if (endpoint !== undefined) {
    return (
      <>
        Start your receiver. Events are sent to{' '}
        <a href={toHash({ section: 'webhooks', id: endpoint.id })}>{endpoint.url}</a>
        {endpoints?.has_more && ' and to other endpoints'}.
      </>
    );
  }
  return (
    <>
      Register an endpoint on the page <a href={toHash({ section: 'home' })}>Home</a>, or run
      <Example command="svc listen --forward-to http://localhost:3000/webhooks" />
    </>
  );
}

function Example({ command }: { readonly command: string }) {
  return (
    <span class="row getting-started-command">
      <code>{command}</code> <CopyButton what="command" text={command} />
    </span>
  );
}
