/** The log of the requests to the API and, beside it where there is room, the one of the address. */
import './requests.css';
import type { Route } from '../../address.ts';
import { pick } from '../../narrowing.ts';
import { Split } from '../../ui/split.tsx';
import { filterNames } from './filter.ts';
import { RequestList } from './request-list.tsx';
import { RequestView } from './request-view.tsx';

export function RequestsView({ route: { id, query } }: { readonly route: Route }) {
  return (
    <div class="requests">
      <Split
        list={<RequestList query={query} openId={id} />}
        one={id === null ? null : <RequestView id={id} />}
        label="Request"
        back={{ section: 'requests', query: pick(query, filterNames) }}
        backTitle="All requests"
      />
    </div>
  );
}
