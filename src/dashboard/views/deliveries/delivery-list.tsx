/** The live list of deliveries, with what narrows it and what stands in its place where there are none. */
import type { Route } from '../../address.ts';
import { control } from '../../control.ts';
import { attempt } from '../../notices.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { NoneMatches } from '../../ui/filters.tsx';
import { LiveRows, PauseButton } from '../../ui/live-rows.tsx';
import { openReplay } from '../replay/question.ts';
import { COLUMNS, toCells } from './delivery-cells.tsx';
import { DeliveryFilters } from './delivery-filters.tsx';
import { parseFilter } from './filter.ts';
import { FirstSteps } from './first-steps.tsx';
import { useDeliveries } from './use-deliveries.ts';

const ROW_REM = 3.25;

interface Props {
  readonly query: Route['query'];
  /** Id of the delivery that is shown beside the list; null where none is. */
  readonly openId: string | null;
}

export function DeliveryList({ query, openId }: Props) {
  const filter = parseFilter(query);
  const list = useDeliveries(filter);
  const active = openId ?? list.chosen;
  // Who compares deliveries stays at the same part of them.
  const tab = query.tab ?? '';
  useShortcuts([
    { key: 'r', does: 'Replay the delivery', run: () => active !== null && void replay(active) },
  ]);
  const isNarrowed = Object.keys(filter).length > 0;
  return (
    <>
      <DeliveryFilters filter={filter}>
        <PauseButton {...list} />
      </DeliveryFilters>
      <LiveRows
        list={list}
        what="deliveries"
        columns={COLUMNS}
        cells={toCells}
        rowHeight={ROW_REM}
        toRoute={(id) => ({ section: 'deliveries', id, query: { ...filter, tab } })}
        openId={openId}
        empty={isNarrowed ? <NoneMatches filter={{ ...filter }} what="delivery" /> : <FirstSteps />}
      />
    </>
  );
}

/** The delivery that is shown beside the list need not be in it. */
async function replay(id: string): Promise<void> {
  const delivery = await attempt(control.getDelivery({ id }));
  if (delivery !== undefined) openReplay(delivery);
}
