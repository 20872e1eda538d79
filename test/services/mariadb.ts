import { join } from "node:path";
import { findProgram, type ServiceProgram } from "./service.ts";

/** Other gateways keep their data in MySQL or MariaDB; importers are tested against it. */
export const MARIADB: ServiceProgram = {
  name: "MariaDB",
  debianPackage: "mariadb-server",
  unprivilegedUser: "mysql",
  find: () => findProgram("mariadbd", []),
  prepare: (folder) => [
    [
      findProgram("mariadb-install-db", []) ?? "mariadb-install-db",
      "--no-defaults",
      `--datadir=${join(folder, "data")}`,
      "--auth-root-authentication-method=normal",
      "--skip-test-db",
    ],
  ],
  serve: (folder, port) => [
    "--no-defaults",
    `--datadir=${join(folder, "data")}`,
    `--socket=${join(folder, "socket")}`,
    `--pid-file=${join(folder, "pid")}`,
    "--bind-address=127.0.0.1",
    `--port=${port}`,
    // Its data ends with the run, so that nothing need reach the disk.
    "--innodb-flush-log-at-trx-commit=0",
  ],
  url: (port) => `mysql://root@127.0.0.1:${port}/mysql`,
  async ping(url) {
    await using sql = new Bun.SQL(url, { connectionTimeout: 2, max: 1 });
    await sql`select 1`;
  },
};
