/** One request to the API with its error and its effects. */

import { describeApiError } from '../../../contract/error-texts.ts';
import type { ApiRequest } from '../../../contract/resources.ts';
import { describeAppliedFault } from '../../../control/describe-fault.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { findResourceRoute, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { CopyableId, Properties } from '../../ui/properties.tsx';
import { EmptyState, QueryView } from '../../ui/query-view.tsx';
import { HttpStatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { EventDeliveries } from '../events/event-view.tsx';

export function RequestView({ id }: { readonly id: string }) {
  const query = useQuery(() => control.listRequests({ request_id: id, limit: 1 }), [id]);
  return (
    <QueryView query={query} what="the request">
      {({ data: [request] }) =>
        request === undefined ? (
          <EmptyState>Request {id} is not in the request log.</EmptyState>
        ) : (
          <RequestDetails request={request} />
        )
      }
    </QueryView>
  );
}

function RequestDetails({ request }: { readonly request: ApiRequest }) {
  const { method, path, status, error_code: code, resource_id: resource } = request;
  const hasCreatedEvent = method === 'POST' && status < 400 && resource?.startsWith('evt_') === true;
  return (
    <div class="stack">
      <header class="row">
        <h2>
          {method} {path}
        </h2>
        <HttpStatusBadge status={status} />
      </header>
      {code !== null && <RequestError code={code} />}
      <RequestProperties request={request} />
      {hasCreatedEvent && <EventDeliveries key={resource} eventId={resource} />}
    </div>
  );
}

function RequestError({ code }: { readonly code: string }) {
  return (
    <section class="notice failed" aria-label="Error">
      <h3>
        <code>{code}</code>
      </h3>
      <p>{describeApiError(code) ?? 'This error code comes from an injected fault.'}</p>
    </section>
  );
}

function RequestProperties({ request }: { readonly request: ApiRequest }) {
  const {
    id,
    at,
    duration_ms,
    api_key_id: key,
    workspace_id: workspace,
    resource_id: resource,
    fault,
  } = request;
  const appliedFault = describeAppliedFault(fault);
  const properties = {
    Request: <CopyableId id={id} what="request" />,
    Resource: resource && (
      <>
        <ResourceLink id={resource} />
        {', '}
        <a href={toHash({ section: 'requests', query: { resource } })}>all requests for this resource</a>
      </>
    ),
    Time: <Time at={at} clock="wall" />,
    Duration: formatLatency(duration_ms),
    Fault: appliedFault && `${appliedFault} (injected)`,
    'API key': key && (
      <a class="mono" href={toHash({ section: 'requests', query: { key } })}>
        {key}
      </a>
    ),
    Workspace: workspace && <code>{workspace}</code>,
  };
  return <Properties items={properties} />;
}

/** Links the resource of a request; empty for a list request. */
export function ResourceLink({ id }: { readonly id: string | null }) {
  if (id === null) return null;
  const resourceRoute = findResourceRoute(id);
  if (resourceRoute === null) return <code>{id}</code>;
  return (
    <a class="mono" href={toHash(resourceRoute)} tabIndex={-1}>
      {id}
    </a>
  );
}
