// Replaces `node:process` in the bundle. Importing that module reads all its properties, including standard input, which costs every
// command 5 ms.
module.exports = process;
