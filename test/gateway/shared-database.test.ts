import { describe, expect, test } from "bun:test";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { asRoot, openWithRoot } from "#test/accounts.ts";
import { KEY, openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase, query } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const CAPPED = "capped-key-0123456789abcdefgh";
const SECRET = "one-secret-for-all-gateways-0123456789";

describe.if(isPostgresReachable || process.env["CI"] !== undefined)(
  "two gateways on one PostgreSQL",
  () => {
    test("serve calls for the same key, and together spend exactly its budget", async () => {
      await using sandbox = await startSandbox();
      await using database = await openScratchDatabase();
      const ask = (content: string) => ({
        model: "gpt-4o-mini",
        max_tokens: 1_000,
        messages: [{ role: "user", content }],
      });
      const open = (quota: string) =>
        openTestGateway({
          yaml: `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}
keys:\n  - { name: capped, key: ${CAPPED}, quota: "${quota}" }`,
          env: { DATABASE_URL: database.url, SLUICE_SECRET: SECRET },
        });
      const slow = "hi [[fault:slow first_ms=6000]]";

      // On a busy machine the database may not answer in time for all of them: they ask again.
      const tell = async (at: TestGateway, content: string, key: string): Promise<Response> => {
        const headers = { authorization: `Bearer ${key}` };
        const answer = await at.post("/v1/chat/completions", ask(content), headers);
        return answer.status === 503 ? tell(at, content, key) : answer;
      };

      // What one call reserves, as the ledger says.
      await using first = await open("1");
      await (await tell(first, slow.replace("6000", "0100"), KEY)).text();
      const [hold] = await query<{ amount: string }>(
        database.url,
        "select held_delta as amount from ledger where kind = 'hold'",
      );
      const budget = (Number(hold?.amount) * 20) / 1e9;
      await using second = await open(budget.toFixed(9));

      const answers = await Promise.all(
        Array.from({ length: 120 }, (_, i) => tell(i % 2 === 0 ? first : second, slow, CAPPED)),
      );

      expect(answers.filter((each) => each.status === 200).length).toBe(20);
      expect(answers.filter((each) => each.status === 402).length).toBe(100);
      const [left] = await query<{ open: string; closes: string }>(
        database.url,
        `select (select count(*) from holds) as open,
         (select count(*) from ledger where kind in ('settle', 'void')) as closes`,
      );
      expect({ open: Number(left?.open), closes: Number(left?.closes) }).toEqual({
        open: 0,
        closes: 21,
      });
    });

    test("accept each other's keys", async () => {
      await using database = await openScratchDatabase();
      const options = {
        yaml: "sandbox: auto",
        env: { DATABASE_URL: database.url, SLUICE_SECRET: SECRET },
      };
      await using first = await openTestGateway(options);
      await using second = await openTestGateway(options);

      for (const { url } of [first, second]) {
        const answer = await fetch(`${url}/v1/models`, {
          headers: { authorization: `Bearer ${KEY}` },
        });
        expect(answer.status).toBe(200);
      }
    });

    test("apply each other's channels and prices", async () => {
      await using sandbox = await startSandbox();
      await using database = await openScratchDatabase();
      const options = {
        env: { DATABASE_URL: database.url, SLUICE_SECRET: SECRET },
      };
      await using first = await openWithRoot(options);
      await using second = await openWithRoot(options);
      const [one, other] = [await asRoot(first.url), await asRoot(second.url)];
      const call = async (gateway: TestGateway): Promise<number> => {
        const messages = [{ role: "user", content: "hi" }];
        const body = { model: "shared-model", messages };
        const answer = await gateway.post("/v1/chat/completions", body);
        await answer.text();
        return answer.status;
      };
      const channel = {
        name: "shared",
        provider: "openai",
        base_url: `${sandbox.url}/openai/v1`,
        api_key: "a-credential-for-both-0001",
        models: [{ name: "shared-model", upstream: "gpt-4o-mini" }],
      };

      const { data: made } = await one("POST", "/api/channel", channel);
      await waitFor(async () => (await call(first)) === 200);
      await waitFor(async () => (await call(second)) === 200);

      const price = { input: 1, output: 2, source: "a list" };
      await other("PUT", "/api/model/shared-model", price);
      await waitFor(async () =>
        JSON.stringify((await one("GET", "/api/model")).data).includes("a list"),
      );

      // Without a credential there is nothing left that either could send.
      const path = `/api/channel/${Number(made["id"])}`;
      await other("PUT", path, { base_url: `${sandbox.url}/elsewhere/v1` });
      await waitFor(async () => (await call(first)) === 404);
      expect(sandbox.requests.filter((each) => each.path.startsWith("/elsewhere"))).toEqual([]);
      await one("DELETE", path);
      await waitFor(async () => (await other("GET", path)).status === 404);
    });

    test("refuse to start with different secrets, since they could not read each other's keys", async () => {
      await using database = await openScratchDatabase();
      const options = { yaml: "sandbox: auto" };
      const env = { DATABASE_URL: database.url, SLUICE_SECRET: SECRET };
      await using _first = await openTestGateway({ ...options, env });

      const other = openTestGateway({
        ...options,
        env: { ...env, SLUICE_SECRET: `${SECRET}-another` },
      });
      expect(other).rejects.toThrow();
      await other.catch(() => {});
    });
  },
);
