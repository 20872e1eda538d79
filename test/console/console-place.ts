import { afterAll, beforeAll, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { PAGE_PATHS } from "../../console/src/paths.ts";
import { askWith, logIn, openWithRoot, ROOT, type Ask } from "#test/accounts.ts";
import { CHROMIUM, launch } from "#test/browser.ts";
import type { TestGateway } from "#test/harness.ts";

/** All pages but those before the login. */
export const INNER_PATHS = PAGE_PATHS.filter((path) => path !== "/login" && path !== "/setup").map(
  (path) =>
    // A few of the simulator's models are enough: rules of accessibility take long for hundreds.
    path === "/pricing" ? `${path}?q=mini` : path,
);

export interface ConsolePlace {
  readonly gateway: TestGateway;
  /** The management API as root. */
  readonly root: Ask;
  /** A page of its own context: no cookie, no storage. */
  open(options?: Visit): Promise<Page>;
}

interface Visit {
  readonly width?: number;
  readonly login?: object;
  /** Entries of local storage, such as the language. */
  readonly stored?: Readonly<Record<string, string>>;
}

interface ConsoleTestOptions {
  readonly yaml?: string | (() => string);
  readonly env?: () => Readonly<Record<string, string>>;
  readonly seed?: (place: ConsolePlace) => Promise<void>;
}

/** One gateway and one browser for the tests of a file, which are skipped where there is no Chromium. */
export function consoleTests({ yaml, env, seed }: ConsoleTestOptions = {}) {
  let browser: Browser | undefined;
  let place: ConsolePlace | undefined;
  const contexts: BrowserContext[] = [];
  if (CHROMIUM === undefined)
    return (title: string): void =>
      test.skip(`skipped: Chromium is not installed: ${title}`, () => undefined);
  const executable = CHROMIUM;

  beforeAll(async () => {
    const text = typeof yaml === "function" ? yaml() : yaml;
    const gateway = await openWithRoot({
      ...(text === undefined ? {} : { yaml: text }),
      ...(env === undefined ? {} : { env: env() }),
    });
    const opened = await launch(executable);
    browser = opened;
    const login = await logIn(gateway.url, ROOT);
    place = {
      gateway,
      root: askWith(gateway.url, login),
      async open({ width = 1440, login: own = ROOT, stored = {} } = {}) {
        const height = width < 500 ? 844 : 900;
        const context = await opened.newContext({ viewport: { width, height } });
        contexts.push(context);
        context.setDefaultTimeout(STEP_LIMIT_MS);
        const { cookie = "" } = own === ROOT ? login : await logIn(gateway.url, own);
        const [name = "", value = ""] = cookie.split("=");
        await context.addCookies([{ name, value, url: gateway.url }]);
        await context.addInitScript(
          (entries) => {
            const { localStorage } = globalThis as unknown as { localStorage: Storage };
            for (const [entry, text] of entries) localStorage.setItem(entry, text);
          },
          Object.entries({ "sluice.language": "en", "sluice.theme": "light", ...stored }),
        );
        return context.newPage();
      },
    };
    await seed?.(place);
  }, LIMIT_MS);
  afterAll(async () => {
    await browser?.close();
    await place?.gateway[Symbol.asyncDispose]();
  });

  return (title: string, run: (place: ConsolePlace) => Promise<void>): void => {
    test(
      title,
      async () => {
        if (place === undefined) throw new Error("The gateway or its data are missing.");
        try {
          await run(place);
        } finally {
          for (const context of contexts.splice(0)) await context.close();
        }
      },
      LIMIT_MS,
    );
  };
}

const LIMIT_MS = 120_000;
/** The browser's own limit of 30 s is too short while other tests use all cores. */
const STEP_LIMIT_MS = 100_000;

interface Storage {
  setItem(name: string, value: string): void;
}

/** Opens an address and waits until the page has its data. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await whenDrawn(page);
}

export async function whenDrawn(page: Page): Promise<void> {
  await page.locator("#main h1").first().waitFor();
  await page.locator(".skeleton, [aria-busy=true]").first().waitFor({ state: "detached" });
}

/** Counts presses of the pointer and pastes from now on, until the page is left. */
export async function countActs(page: Page): Promise<() => Promise<unknown>> {
  await page.evaluate(`{
    const acts = { clicks: 0, pastes: 0 };
    globalThis.acts = acts;
    addEventListener("pointerdown", () => acts.clicks++, true);
    addEventListener("paste", () => acts.pastes++, true);
  }`);
  return () => page.evaluate("globalThis.acts");
}
