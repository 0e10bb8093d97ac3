/** Numbers of deliveries by status. */
import { Count, described } from './values.ts';

export const statusCounts = {
  pending: described('Number of pending deliveries, including those that are failing or paused.', Count),
  failing: described('Number of pending deliveries whose last attempt failed.', Count),
  paused: described('Number of pending deliveries to disabled endpoints.', Count, 0),
  succeeded: described('Number of deliveries that succeeded.', Count),
  failed: described('Number of deliveries that failed.', Count, 0),
  canceled: described('Number of deliveries that were canceled.', Count, 0),
};
