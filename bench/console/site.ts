import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { sql } from "kysely";
import { systemClock } from "#lib/clock.ts";
import { openStorage } from "#storage/open.ts";
import { askWith, logIn, ROOT } from "#test/accounts.ts";
import { fillJournal } from "#test/storage/fill-journal.ts";
import { waitFor } from "#test/wait.ts";
import { startChild } from "../child.ts";
import { freePort } from "../targets/target.ts";

/** A gateway in a process of its own with a long call log, and pages of root. */
export interface ConsoleSite extends AsyncDisposable {
  readonly url: string;
  /** A page with an empty cache; `isLoggedIn`: with the session of root. */
  open(options: { readonly isLoggedIn: boolean; readonly isPhone?: boolean }): Promise<Page>;
}

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };

const KEYS = 30;
const READY_MS = 60_000;
const ADDED_UP_MS = 600_000;

export async function openConsoleSite(
  folder: string,
  browser: Browser,
  rows: number,
): Promise<ConsoleSite> {
  const root = join(import.meta.dir, "..", "..");
  const dataDir = join(folder, "data");
  mkdirSync(dataDir);
  await fill(dataDir, rows);
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const gateway = startChild({
    name: "gateway",
    folder,
    cwd: root,
    command: [process.execPath, "src/main.ts", "start"],
    env: {
      SLUICE_DATA_DIR: dataDir,
      SLUICE_PORT: String(port),
      SLUICE_ADMIN_EMAIL: ROOT.email,
      SLUICE_ADMIN_PASSWORD: ROOT.password,
      // The filled calls ended in the past, and must not be deleted meanwhile.
      SLUICE_JOURNAL_DAYS: "3650",
    },
  });
  await waitFor(async () => {
    gateway.assertRuns();
    return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true;
  }, READY_MS);
  const login = await logIn(url, ROOT);
  const ask = askWith(url, login);
  // Until the usage of the filled calls is added up, which happens once.
  await waitFor(async () => (await ask("GET", "/api/home")).status === 200, ADDED_UP_MS);
  for (let key = 1; key <= KEYS; key++)
    await ask("POST", "/api/token", { name: `service ${key}`, quota_usd: "25" });
  return {
    url,
    async open({ isLoggedIn, isPhone = false }) {
      const context = await browser.newContext({ viewport: isPhone ? PHONE : DESKTOP });
      const [name = "", value = ""] = (login["cookie"] ?? "").split("=");
      if (isLoggedIn) await context.addCookies([{ name, value, url }]);
      await context.addInitScript(`localStorage.setItem("sluice.language", "en")`);
      return context.newPage();
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

async function fill(dataDir: string, rows: number): Promise<void> {
  await using storage = await openStorage({
    dataDir,
    instance: "bench",
    clock: systemClock,
    pepper: new Uint8Array(32).fill(7),
    onError: (cause) => process.stderr.write(`${String(cause)}\n`),
  });
  await fillJournal(storage.db, rows, "sqlite");
  while ((await storage.calls.index(1_024)) > 0);
  await sql`analyze`.execute(storage.db);
}
