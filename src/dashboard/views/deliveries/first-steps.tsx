import { toHash } from '../../address.ts';
import { CopyButton } from '../../ui/copy-button.tsx';

/** What a newcomer sees in place of the list: how the first delivery comes about. */
export function FirstSteps() {
  return (
    <section class="deliveries-first">
      <h2>No deliveries yet</h2>
      <p>Every event is delivered to the endpoints that subscribe to it. The first one shows here at once:</p>
      <ol>
        <li>
          Tell the emulator where your receiver is: on the page{' '}
          <a href={toHash({ section: 'webhooks' })}>Endpoints</a>, or
          <Example command="svc listen --forward-to http://localhost:3000/webhooks" />
        </li>
        <li>
          Trigger an event: on the page <a href={toHash({ section: 'trigger' })}>Trigger</a>, or
          <Example command="svc trigger order.shipped" />
        </li>
      </ol>
    </section>
  );
}

function Example({ command }: { readonly command: string }) {
  return (
    <span class="deliveries-example">
      <code>{command}</code> <CopyButton what="the command" text={command} />
    </span>
  );
}
