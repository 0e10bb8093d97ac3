/** The sections of the dashboard, as they appear in its addresses: `/#/deliveries/del_…`. */
export const dashboardSections = ['home', 'deliveries', 'events', 'webhooks', 'requests', 'trigger'] as const;
export type DashboardSection = (typeof dashboardSections)[number];
