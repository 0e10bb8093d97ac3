import { describe, expect, it } from 'vitest';
import { buildTraceTree, countHiddenAttempts, type TraceNode } from '../../src/client/trace-tree.ts';
import type { DeliveryTrace } from '../../src/contract/trace-schemas.ts';
import { createDelivery } from '../dashboard/example-delivery.ts';

describe('the tree of a trace', () => {
  const tree = (...deliveries: readonly (readonly [id: string, original: string | null])[]) => {
    const list = deliveries.map(([id, replay_of]) => ({ id, replay_of }));
    const toText = ({ delivery, replays }: TraceNode): string =>
      `${delivery.id}(${replays.map(toText).join(' ')})`;
    return buildTraceTree(list as unknown as DeliveryTrace[]).map(toText);
  };

  it('each replay is below its original', () => {
    expect(tree(['a', null], ['b', null], ['c', 'a'], ['d', 'c'], ['e', 'a'])).toEqual([
      'a(c(d()) e())',
      'b()',
    ]);
  });

  it('a replay whose original is on another page is at the top', () => {
    expect(tree(['c', 'a'], ['d', 'c'])).toEqual(['c(d())']);
  });

  it('the attempts of a delivery that the trace does not have are counted', () => {
    const shown = createDelivery();
    const count = (attempt_count: number) =>
      countHiddenAttempts({ ...shown, attempt_count } as unknown as DeliveryTrace);
    expect([count(22), count(2), count(1)]).toEqual([20, 0, 0]);
  });
});
