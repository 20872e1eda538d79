import { parseArgs } from "node:util";
import { startSandbox } from "./server.ts";

/** Runs the sandbox alone: `bun sandbox/main.ts --port 9000 --api-key sk-test`. */
const { values } = parseArgs({
  options: {
    port: { type: "string", default: "9000" },
    hostname: { type: "string", default: "127.0.0.1" },
    "api-key": { type: "string", multiple: true },
  },
});

const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  process.stderr.write(`--port must be a whole number from 0 to 65535, not ${values.port}.\n`);
  process.exit(2);
}

const apiKeys = values["api-key"];
const sandbox = await startSandbox({
  port,
  hostname: values.hostname,
  ...(apiKeys === undefined ? {} : { apiKeys }),
});
process.stdout.write(`${sandbox.url}\n`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void sandbox.stop().then(() => process.exit(0));
  });
}
