import { describe, expect, test } from "bun:test";
import { CASES } from "./cases.ts";
import { CALLERS, runMatrix, type Cell } from "./run.ts";
import { UPSTREAMS } from "./upstreams.ts";

/** `npm run matrix` prints the same as a table. */
describe("any style's client on any style's upstream", async () => {
  const cells = await runMatrix();

  for (const { id: caller } of CALLERS) {
    for (const { id: upstream } of UPSTREAMS) {
      for (const name of Object.keys(CASES)) {
        test(`${caller} on ${upstream}: ${name}, streamed and complete`, () => {
          const own = cells.filter(
            (cell: Cell) =>
              cell.caller === caller && cell.upstream === upstream && cell.case === name,
          );

          expect(own.map(({ stream }) => stream)).toEqual([true, false]);
          expect(own.map(({ failure }) => failure)).toEqual([undefined, undefined]);
        });
      }
    }
  }
});
