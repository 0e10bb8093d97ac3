/** One request to the API: who asked for what, what was answered, and what that caused. */
import type { ApiRequest } from '../../../contract/resources.ts';
import { describeMark } from '../../../control/fault-account.ts';
import { describeApiError } from '../../../domain/api-error-text.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { toHash } from '../../address.ts';
import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Answer, Empty } from '../../ui/state.tsx';
import { HttpStatusBadge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { EventDeliveries } from '../events/event-deliveries.tsx';
import { ResourceLink } from './resource-link.tsx';

export function RequestView({ id }: { readonly id: string }) {
  const asked = useAsked(() => control.listRequests({ request_id: id, limit: 1 }), [id]);
  return (
    <Answer asked={asked} what="the request">
      {({ data: [request] }) =>
        request === undefined ? <Empty>The log has no request {id}.</Empty> : <Whole request={request} />
      }
    </Answer>
  );
}

function Whole({ request }: { readonly request: ApiRequest }) {
  const { method, path, status, error_code: code, resource_id: resource } = request;
  const hasCreatedEvent = method === 'POST' && status < 400 && resource?.startsWith('evt_') === true;
  return (
    <div class="requests-one">
      <header class="row">
        <h2 class="requests-path">
          {method} {path}
        </h2>
        <HttpStatusBadge status={status} />
      </header>
      {code !== null && <Refusal code={code} />}
      <Facts request={request} />
      {hasCreatedEvent && <EventDeliveries key={resource} eventId={resource} />}
    </div>
  );
}

function Refusal({ code }: { readonly code: string }) {
  return (
    <section class="card requests-refusal" aria-label="Error">
      <h3>
        <code>{code}</code>
      </h3>
      <p>{describeApiError(code) ?? 'No code of the emulator itself: a fault has ordered it.'}</p>
    </section>
  );
}

function Facts({ request }: { readonly request: ApiRequest }) {
  const {
    id,
    at,
    duration_ms,
    api_key_id: key,
    workspace_id: workspace,
    resource_id: resource,
    fault,
  } = request;
  const mark = describeMark(fault);
  const facts = {
    Request: (
      <span class="row">
        <code>{id}</code> <CopyButton what="the id of the request" text={id} />
      </span>
    ),
    About: resource && (
      <>
        <ResourceLink id={resource} />
        {', '}
        <a href={toHash({ section: 'requests', query: { resource } })}>all requests about it</a>
      </>
    ),
    When: <Time at={at} of="wall" />,
    Took: formatLatency(duration_ms),
    Fault: mark && `${mark}: it was ordered`,
    Key: key && (
      <a class="mono" href={toHash({ section: 'requests', query: { key } })}>
        {key}
      </a>
    ),
    Workspace: workspace && <code>{workspace}</code>,
  };
  return (
    <dl class="facts">
      {Object.entries(facts).map(
        ([title, value]) => value && [<dt key={`${title} title`}>{title}</dt>, <dd key={title}>{value}</dd>],
      )}
    </dl>
  );
}
