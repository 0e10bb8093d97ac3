// Serves several receivers in one process: node serve.mjs PORT FILE [PORT FILE]...
import { pathToFileURL } from 'node:url';

const args = process.argv.slice(2);
for (let index = 0; index < args.length; index += 2) {
  process.env.PORT = args[index];
  await import(pathToFileURL(args[index + 1]).href);
}
