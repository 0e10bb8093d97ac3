/** The sections of the dashboard, as they appear in its addresses: `/#/deliveries/del_…`. */
export const dashboardSections = [
  'overview',
  'deliveries',
  'events',
  'webhooks',
  'requests',
  'keys',
  'trigger',
] as const;
export type DashboardSection = (typeof dashboardSections)[number];
