import { describe, expect, test } from "bun:test";
import { isPostgresReachable } from "#test/scratch-database.ts";
import { describeStorage } from "./contract.ts";
import { openDatabase } from "./postgres-place.ts";

if (!isPostgresReachable) process.stderr.write("No PostgreSQL: its tests are left out.\n");

test.if(process.env["CI"] !== undefined)(
  "PostgreSQL is available in the full test environment",
  () => {
    expect(isPostgresReachable).toBe(true);
  },
);

describe.if(isPostgresReachable)("a PostgreSQL database", () => {
  describeStorage("PostgreSQL", () => openDatabase());
});
