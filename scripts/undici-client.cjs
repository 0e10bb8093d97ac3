// Replaces undici in the bundle: the parts that src/delivery/connector.ts uses. The whole package also contains fetch, caches, mocks and
// WebSockets, which would more than double the time to load it.
module.exports = {
  Client: require('../node_modules/undici/lib/dispatcher/client.js'),
  Pool: require('../node_modules/undici/lib/dispatcher/pool.js'),
  buildConnector: require('../node_modules/undici/lib/core/connect.js'),
};
