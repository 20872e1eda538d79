import { expect, test } from "bun:test";
import { readPlace } from "./place.ts";

test.each([
  ["one-api.db", "sqlite", "one-api.db"],
  ["/data/one-api.db?_busy_timeout=5000", "sqlite", "/data/one-api.db"],
  ["file:/data/new-api.db", "sqlite", "/data/new-api.db"],
  ["postgres://u:p@db:5432/litellm", "postgres", "postgres://u:p@db:5432/litellm"],
  ["postgresql://u:p@db/litellm", "postgres", "postgresql://u:p@db/litellm"],
  ["mysql://u:p@db:3306/oneapi", "mysql", "mysql://u:p@db:3306/oneapi"],
  ["mariadb://u:p@db/oneapi", "mysql", "mysql://u:p@db/oneapi"],
  [
    "root:123456@tcp(localhost:3306)/oneapi?parseTime=true",
    "mysql",
    "mysql://root:123456@localhost:3306/oneapi",
  ],
  ["root:p@ss/wd@tcp(10.0.0.5)/new-api", "mysql", "mysql://root:p%40ss%2Fwd@10.0.0.5:3306/new-api"],
  [
    "host=db user=u password='a b' dbname=n port=6432 sslmode=disable",
    "postgres",
    "postgres://u:a%20b@db:6432/n?sslmode=disable",
  ],
] as const)("%s is a place of a database", (given, kind, at) => {
  expect(readPlace(given)).toEqual({ kind, at });
});
