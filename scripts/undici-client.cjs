// The parts of undici that src/delivery/connector.ts uses. The whole package also contains fetch, caches, mocks and WebSockets, which
// would more than double the time to load it.
module.exports = {
  Client: require('undici/lib/dispatcher/client.js'),
  Pool: require('undici/lib/dispatcher/pool.js'),
  buildConnector: require('undici/lib/core/connect.js'),
};
