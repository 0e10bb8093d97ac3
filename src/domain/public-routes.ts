/** The methods and paths of the described service (§4), relative to `/v1`. */

export const publicRoutes = {
  getWorkspace: { method: 'GET', path: '/workspaces/{id}' },
  createEvent: { method: 'POST', path: '/events' },
  getEvent: { method: 'GET', path: '/events/{id}' },
  listEvents: { method: 'GET', path: '/events' },
  createWebhook: { method: 'POST', path: '/webhooks' },
} as const;
