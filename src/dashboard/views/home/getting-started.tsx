import { useState } from 'preact/hooks';
import { indentJson } from '../../../domain/json-text.ts';
import type { WebhookDetail } from '../../../resources/endpoint.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { findJsonProblem } from '../../json-problem.ts';
import { navigate } from '../../router.ts';
import { status, workspaceId } from '../../session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { JsonEditor } from '../../ui/json-editor.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { useQuery } from '../../use-query.ts';

/** Shown while there are no deliveries: registers an endpoint, then sends it a first event. */
export function GettingStarted() {
  const workspace = workspaceId.value;
  const query = useQuery(() => control.listWebhooks({ workspace_id: workspace, limit: 1 }), [workspace], {
    isLive: true,
  });
  return (
    <section class="page getting-started">
      <h2>No deliveries yet</h2>
      <QueryView query={query} what="the endpoints">
        {({ data: [endpoint] }) =>
          endpoint === undefined ? <RegisterForm /> : <SendForm endpoint={endpoint} />
        }
      </QueryView>
    </section>
  );
}

function RegisterForm() {
  const [url, setUrl] = useState('');
  const form = useFormSubmit(['url'], async () => {
    await control.createWebhook({ workspace_id: workspaceId.peek(), url: url.trim() });
  });
  return (
    <>
      <Form form={form} action="Register">
        <Field
          label="URL of your receiver"
          name="url"
          error={form.error}
          value={url}
          onChange={setUrl}
          inputMode="url"
          placeholder="localhost:3000/webhooks"
        />
      </Form>
      <Command command="svc listen http://localhost:3000/webhooks" />
    </>
  );
}

function SendForm({ endpoint }: { readonly endpoint: WebhookDetail }) {
  const [edited, setEdited] = useState<string | null>(null);
  const type = status.value?.example_type ?? '';
  const fixture = useQuery(() => control.getFixture({ type }), [type]);
  const original = indentJson(fixture.value?.payload_text ?? '{}');
  const payload = edited ?? original;
  const form = useFormSubmit([], async () => {
    const event = { id: endpoint.id, type, payload_text: payload };
    navigate({ section: 'deliveries', id: (await control.sendTestEvent(event)).id });
  });
  return (
    <>
      <p>
        Start your receiver. Events are sent to{' '}
        <a href={toHash({ section: 'webhooks', id: endpoint.id })}>{endpoint.url}</a>.
      </p>
      <Form form={form} action={`Send ${type}`} isDisabled={findJsonProblem(payload) !== null}>
        <JsonEditor label="Payload" value={payload} original={original} onInput={setEdited} />
      </Form>
      <Command command={`svc trigger ${type}`} />
    </>
  );
}

/** What does the same on the command line. */
function Command({ command }: { readonly command: string }) {
  return (
    <p class="muted">
      or run <code>{command}</code> <CopyButton what="command" text={command} />
    </p>
  );
}
