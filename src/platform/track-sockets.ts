import type { Server, Socket } from 'node:net';

/**
 * @param server one that has accepted no connections yet
 * @returns its open connections. Unlike those that `closeAllConnections` closes, these include one that has not completed its
 * TLS handshake.
 */
export function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
