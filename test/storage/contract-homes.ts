import { describe, expect, test } from "bun:test";
import { HOME_MS, type ReasoningHomes } from "#core/reasoning-home.ts";

interface HomesPlace extends AsyncDisposable {
  readonly homes: ReasoningHomes;
}

const ONE = { channel: "one", account: "0 ...abcd" };
const TWO = { channel: "two", account: "" };

/** What every memory of accounts has to be; `open` is given one to itself by each test. */
export function describeHomes(name: string, open: () => Promise<HomesPlace>): void {
  describe(`accounts of conversations ${name}`, () => {
    test("are found by the first known digest", async () => {
      await using place = await open();
      place.homes.keep("beginning", ONE);
      place.homes.keep("answered", TWO);

      expect(await place.homes.find(["answered", "beginning"])).toEqual(TWO);
      expect(await place.homes.find(["another", "beginning"])).toEqual(ONE);
      expect(await place.homes.find(["another"])).toBeUndefined();
    });

    test("are the ones that answered last", async () => {
      await using place = await open();
      place.homes.keep("answered", ONE);
      place.homes.keep("answered", TWO);

      expect(await place.homes.find(["answered"])).toEqual(TWO);
    });
  });
}

export { HOME_MS, ONE, TWO };
