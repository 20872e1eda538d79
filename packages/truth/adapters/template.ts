import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Adapter } from "../gateway/adapter.ts";
import { apiAt, numberAt, textAt } from "./http.ts";

/*
 * The adapter to start from. It runs the smallest gateway that has keys, prices and
 * accounts, `template/gateway.ts`, whose money is written once a second: it shows
 * what each experiment finds. Copy this file, and change what it does step by step;
 * `--adapter FILE` runs a copy.
 */

/** A program beside this package: TypeScript in the sources, JavaScript in the package. */
const PROGRAM = import.meta.url.endsWith(".ts")
  ? new URL("../template/gateway.ts", import.meta.url)
  : new URL("./template/gateway.js", import.meta.url);

export const adapter: Adapter = {
  id: "template",
  title: "The smallest gateway",
  note: "Forwards to its first channel, and writes its accounts once a second.",
  needs: "nothing.",

  async prepare({ folder, port, models, program }) {
    // 1. Write the settings: each model with its prices and its channels, in their order.
    const settings = join(folder, "settings.json");
    writeFileSync(settings, JSON.stringify({ port, models, path: join(folder, "accounts.json") }));
    return {
      // 2. Name the command, the path that answers 200 when calls are accepted, and the
      //    time after which everything that the gateway writes late should be written.
      command: [...(program ?? [process.execPath, PROGRAM.pathname]), settings],
      readyPath: "/ready",
      writeDelayMs: 2_500,
      // 3. Say how keys are made and how accounts are read. It is called after each start.
      async open(url) {
        const api = apiAt(url);
        return {
          async createKey({ name, quota }) {
            const made = await api.ask("POST", "/keys", { name, quota });
            return { id: textAt(made, "id"), secret: textAt(made, "secret") };
          },
          // US dollars.
          async spentBy({ id }) {
            return numberAt(await api.ask("GET", `/keys/${id}`), "spent");
          },
          // Rows of the log; leave it out if there is no log.
          async callsOf({ id }) {
            return numberAt(await api.ask("GET", `/keys/${id}`), "calls");
          },
        };
      },
    };
  },
};
