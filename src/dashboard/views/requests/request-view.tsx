/** One request to the API with its error and its effects. */
import { formatLatency } from '../../../domain/duration.ts';
import { describeApiError } from '../../../operations/error-texts.ts';
import { describeAppliedFault } from '../../../resources/fault.ts';
import { findCurlProblem, hasUnreadBody, toCurlCommand } from '../../../resources/logged-request.ts';
import type { ApiRequestDetail, LoggedMessage } from '../../../resources/request.ts';
import { findResourceRoute, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { Copyable, CopyButton } from '../../ui/copy-button.tsx';
import { HttpBody, HttpHeaders } from '../../ui/http-message.tsx';
import { Properties } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Badge, toRequestState } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { EventDeliveries } from '../events/event-view.tsx';

export function RequestView({ id }: { readonly id: string }) {
  const query = useQuery(() => control.getRequest({ id }), [id]);
  return (
    <QueryView query={query} what="the request">
      {(request) => <RequestDetails key={id} request={request} />}
    </QueryView>
  );
}

function RequestDetails({ request }: { readonly request: ApiRequestDetail }) {
  const { method, path, status, resource_id: resource } = request;
  const curlProblem = findCurlProblem(request);
  const hasCreatedEvent = method === 'POST' && status < 400 && resource?.startsWith('evt_') === true;
  return (
    <div class="stack">
      <header class="row">
        <h2>
          {method} {path}
        </h2>
        <Badge state={toRequestState(status)}>{status === 0 ? 'dropped' : status}</Badge>
        <CopyButton
          what="curl command"
          label="Copy as curl"
          text={() => toCurlCommand(request, location.origin)}
        />
      </header>
      {curlProblem !== null && (
        <p class="muted">The curl command does not send the same request, because {curlProblem}.</p>
      )}
      <RequestError request={request} />
      <RequestProperties request={request} />
      {hasCreatedEvent && <EventDeliveries key={resource} eventId={resource} />}
      <Message title="Request" message={request.request} />
      <Message title="Response" message={request.response} />
    </div>
  );
}

function Message({ title, message }: { readonly title: string; readonly message: LoggedMessage | null }) {
  return (
    <section class="stack" aria-label={title}>
      <h3>{title}</h3>
      {message === null ? <p class="muted">No response is stored.</p> : <MessageContent message={message} />}
    </section>
  );
}

function MessageContent({ message }: { readonly message: LoggedMessage }) {
  const { headers, body, encoding, truncated, size_bytes: size } = message;
  return (
    <>
      {body === null ? (
        <p class="muted">{hasUnreadBody(message) ? 'The body was not read.' : 'No body.'}</p>
      ) : (
        <HttpBody title="Body" body={body} encoding={encoding} />
      )}
      {truncated && (
        <p class="muted">Only a part is stored{size === null ? '' : `; the whole body has ${size} bytes`}.</p>
      )}
      <HttpHeaders headers={headers} />
    </>
  );
}

function RequestError({ request }: { readonly request: ApiRequestDetail }) {
  const { error_code: code, error_message: message } = request;
  if (code === null) return null;
  return (
    <section class="notice" data-state="failed" aria-label="Error">
      <h3>
        <code>{code}</code>
      </h3>
      {message !== null && <p>{message}</p>}
      <p class="muted">{describeApiError(code) ?? 'This error code comes from an injected fault.'}</p>
    </section>
  );
}

function RequestProperties({ request }: { readonly request: ApiRequestDetail }) {
  const { id, at, duration_ms, fault, resource_id: resource, workspace_id: workspace } = request;
  const { api_key_id: key, api_key_name: keyName, user_agent: userAgent } = request;
  const appliedFault = describeAppliedFault(fault);
  const properties = {
    Request: <Copyable text={id} what="request ID" />,
    Resource: resource && (
      <>
        <ResourceLink id={resource} />
        {', '}
        <a href={toHash({ section: 'requests', query: { resource_id: resource } })}>
          all requests for this resource
        </a>
      </>
    ),
    Time: <Time at={at} clock="wall" />,
    Duration: formatLatency(duration_ms),
    Fault: appliedFault && `${appliedFault} (injected)`,
    'API key': key && (
      <>
        <a href={toHash({ section: 'requests', query: { api_key_id: key } })}>{keyName}</a> <code>{key}</code>
      </>
    ),
    'User agent': userAgent,
    Workspace: workspace && <code>{workspace}</code>,
  };
  return <Properties items={properties} />;
}

function ResourceLink({ id }: { readonly id: string }) {
  const resourceRoute = findResourceRoute(id);
  if (resourceRoute === null) return <code>{id}</code>;
  return (
    <a href={toHash(resourceRoute)}>
      <code>{id}</code>
    </a>
  );
}
