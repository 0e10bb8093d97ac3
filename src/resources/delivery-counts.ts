/** Numbers of deliveries by status. */
import { Count, described } from './values.ts';

export const statusCounts = {
  pending: described('Number of pending deliveries, including those that are failing or paused.', Count),
  failing: described('Number of pending deliveries whose last attempt failed.', Count),
  paused: described('Number of pending deliveries to disabled endpoints.', Count),
  succeeded: described('Number of deliveries that succeeded.', Count),
  failed: described('Number of deliveries that failed.', Count),
  canceled: described('Number of deliveries that were canceled.', Count),
};
