import type { Page } from "playwright-core";
import { median } from "./figures.ts";
import type { ConsoleSite } from "./site.ts";

interface FilterTime {
  readonly name: string;
  /** From the key or the choice to the painted rows. */
  readonly medianMs: number;
  readonly longestMs: number;
}

const ROUNDS = 5;
/** By the label of the field: values that are frequent, rare, and in none of the calls. */
const FILTERS = [
  ["Model", "model-3"],
  ["Model", "model-rare"],
  ["Channel", "rare"],
  ["Channel", "no-such-channel"],
  ["Fault", "upstream_failed"],
  ["Tag", "project=p7"],
  ["Style", "rerank"],
] as const;

/** Times of the filters of the log, each from the list of all calls. */
export async function measureFilters(site: ConsoleSite): Promise<readonly FilterTime[]> {
  const page = await site.open({ isLoggedIn: true });
  await page.addInitScript(WATCH);
  const outcome = await measure(site, page, "outcome = failed", () =>
    page.getByLabel("Outcome").selectOption("failed"),
  );
  const times = [outcome];
  for (const [label, value] of FILTERS)
    times.push(
      await measure(site, page, `${label.toLowerCase()} = ${value}`, async () => {
        const field = page.getByRole("searchbox", { name: label, exact: true });
        await field.fill(value);
        await field.press("Enter");
      }),
    );
  await page.context().close();
  return times;
}

async function measure(
  { url }: ConsoleSite,
  page: Page,
  name: string,
  set: () => Promise<unknown>,
): Promise<FilterTime> {
  const all: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // A fresh page, since it shows an answer of the last seconds again without a request.
    await page.goto(`${url}/logs`);
    await page.locator("[data-row]").first().waitFor();
    await page.getByRole("button", { name: "More filters" }).click();
    await set();
    all.push(await page.evaluate<number>("globalThis.filtered"));
  }
  return { name, medianMs: median(all), longestMs: Math.max(...all) };
}

/** Runs in the page: from the last key or choice to the first frame with the new rows. */
const WATCH = `{
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const watch = async () => {
    const from = performance.now();
    do await frame();
    while (document.querySelector("#main .skeleton, #main .animate-spin") !== null);
    return performance.now() - from;
  };
  for (const type of ["keydown", "change"])
    addEventListener(type, () => (globalThis.filtered = watch()), true);
}`;
