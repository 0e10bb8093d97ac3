/** What the chart of the overview shows. It is stored in the URL. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts';

export const periods = {
  '10m': { title: '10 minutes', ms: 10 * MINUTE_MS },
  '1h': { title: 'hour', ms: HOUR_MS },
  '24h': { title: '24 hours', ms: DAY_MS },
  '3d': { title: '3 days', ms: 3 * DAY_MS },
} as const;

export interface OverviewSettings {
  readonly period: keyof typeof periods;
  readonly clock: 'wall' | 'schedule';
}

/** Unknown values become the defaults. */
export function parseSettings({ period = '', clock }: Readonly<Record<string, string>>): OverviewSettings {
  return {
    period: Object.hasOwn(periods, period) ? (period as keyof typeof periods) : '10m',
    clock: clock === 'schedule' ? 'schedule' : 'wall',
  };
}
