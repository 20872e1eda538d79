import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { findProgram, type ServiceProgram } from "./service.ts";

/** Debian keeps each version's programs in a folder of its own, off the PATH. */
const DEBIAN = "/usr/lib/postgresql";

export const POSTGRES: ServiceProgram = {
  name: "PostgreSQL",
  debianPackage: "postgresql",
  unprivilegedUser: "postgres",
  stopSignal: "SIGINT",
  find: () => findProgram("postgres", versionFolders()),
  prepare(folder) {
    const initdb = join(dirname(this.find() ?? ""), "initdb");
    const data = join(folder, "data");
    return [
      [initdb, "-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C", "-N"],
    ];
  },
  serve: (folder, port) => [
    "-D",
    join(folder, "data"),
    "-p",
    String(port),
    "-h",
    "127.0.0.1",
    "-k",
    "",
    "-c",
    "fsync=off",
    "-c",
    "full_page_writes=off",
    "-c",
    "max_connections=400",
    // Its databases live for seconds: cleaning up, and compiling queries, would only take time.
    "-c",
    "autovacuum=off",
    "-c",
    "jit=off",
    "-c",
    "wal_level=minimal",
    "-c",
    "max_wal_senders=0",
  ],
  url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
  async ping(url) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    // Without a listener, a connection that the starting server closes would end the process.
    client.on("error", () => {});
    await client.connect();
    try {
      await client.query("select 1");
    } finally {
      await client.end();
    }
  },
};

/** The newest version first. */
function versionFolders(): readonly string[] {
  if (!existsSync(DEBIAN)) return [];
  return readdirSync(DEBIAN)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, "bin"))
    .filter((folder) => existsSync(join(folder, "initdb")));
}
