import { useState } from 'preact/hooks';
import { indentJson } from '../../../domain/json-text.ts';
import type { WebhookDetail } from '../../../resources/endpoint.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { findJsonProblem } from '../../json-problem.ts';
import { navigate } from '../../router.ts';
import { status, workspaceId } from '../../session.ts';
import { Copyable } from '../../ui/copy-button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { JsonEditor } from '../../ui/json-editor.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { useQuery } from '../../use-query.ts';
import { getFixturePayload } from '../trigger/get-fixture-payload.ts';

/** Shown while there are no deliveries: registers an endpoint, then sends it a first event. */
export function GettingStarted() {
  const workspace = workspaceId.value;
  const query = useQuery(() => control.listWebhooks({ workspace_id: workspace, limit: 1 }), [workspace], {
    isLive: true,
  });
  const type = status.value?.example_type ?? '';
  return (
    <section class="card stack" aria-label="First steps">
      <h2>No deliveries yet</h2>
      <QueryView query={query} what="the endpoints">
        {({ data: [endpoint] }) => (
          <ol>
            <li aria-current={endpoint === undefined ? 'step' : undefined}>
              <h3>Register your receiver</h3>
              {endpoint === undefined ? (
                <RegisterForm />
              ) : (
                <a href={toHash({ section: 'webhooks', id: endpoint.id })}>{endpoint.url}</a>
              )}
            </li>
            <li aria-current={endpoint === undefined ? undefined : 'step'}>
              <h3>Send {type}</h3>
              {endpoint !== undefined && <SendForm endpoint={endpoint} type={type} />}
            </li>
          </ol>
        )}
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
      <p class="muted">
        or run <Copyable what="command" text="svc listen http://localhost:3000/webhooks" />
      </p>
    </>
  );
}

function SendForm({ endpoint, type }: { readonly endpoint: WebhookDetail; readonly type: string }) {
  const [edited, setEdited] = useState<string | null>(null);
  const fixture = useQuery(() => getFixturePayload(type), [type]);
  const original = indentJson(fixture.value ?? '{}');
  const payload = edited ?? original;
  const form = useFormSubmit([], async () => {
    const event = { id: endpoint.id, type, payload_text: payload };
    navigate({ section: 'deliveries', id: (await control.sendTestEvent(event)).id });
  });
  return (
    <>
      <p class="muted">Start your receiver first. You can edit the payload.</p>
      <Form
        form={form}
        action={`Send ${type}`}
        isDisabled={fixture.value === undefined || findJsonProblem(payload) !== null}
      >
        <QueryView query={fixture} what="the payload">
          {() => <JsonEditor label="Payload" value={payload} original={original} onInput={setEdited} />}
        </QueryView>
      </Form>
      <p class="muted">
        or run <Copyable what="command" text={`svc trigger ${type}`} />
      </p>
    </>
  );
}
