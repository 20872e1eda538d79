import { describe, expect, test } from "bun:test";
import { readVerb, UsageError, type Prompt } from "./command.ts";
import { channels } from "./channels.ts";
import { config } from "./config.ts";
import { groups } from "./groups.ts";
import { keys } from "./keys.ts";
import { models } from "./models.ts";
import { serviceAccounts } from "./service-accounts.ts";
import { settings } from "./settings.ts";
import { teams } from "./teams.ts";
import { tokens } from "./tokens.ts";
import { users } from "./users.ts";

const EMPTY = {
  readLine: async () => "",
  readFile: async () => "",
  readLink: async () => "",
};

async function question(noun: typeof keys, typed: string, line = ""): Promise<Prompt> {
  const { verb, words } = readVerb(noun, typed.split(" ").filter(Boolean), {
    readLine: async () => line,
    readFile: async (path) => `# ${path}`,
    readLink: async () => "",
  });
  return await verb.ask(words);
}

function shown(noun: typeof keys, typed: string, data: object): string {
  return readVerb(noun, typed.split(" "), EMPTY)
    .verb.show({ ...data })
    .join("\n");
}

describe("arguments become a request to the management API", () => {
  test("an access token is made with scopes and an end, for oneself or a user", async () => {
    expect(
      await question(tokens, "create ci --scopes logs:read,usage:read --expires 2030-01-01"),
    ).toEqual({
      method: "POST",
      path: "/api/user/self/access-token",
      body: { name: "ci", scopes: ["logs:read", "usage:read"], expires_at: 1_893_456_000 },
    });
    expect(await question(tokens, "create ci --scopes all --user 7")).toEqual({
      method: "POST",
      path: "/api/user/7/access-token",
      body: { name: "ci", scopes: null },
    });
    expect(await question(tokens, "revoke 31")).toEqual({
      method: "DELETE",
      path: "/api/user/self/access-token/31",
    });
    expect(await question(tokens, "rename 31 nightly --user 7")).toEqual({
      method: "PUT",
      path: "/api/user/7/access-token/31",
      body: { name: "nightly" },
    });
    expect(question(tokens, "create ci")).rejects.toThrow(UsageError);
  });

  test("keys of another user are listed, made, changed and deleted with the user's id", async () => {
    expect(await question(keys, "list --user 7 --page 2")).toEqual({
      method: "GET",
      path: "/api/user/7/token?page_size=100&p=2",
    });
    expect(await question(keys, "create ci --user 7 --rpm 5")).toEqual({
      method: "POST",
      path: "/api/user/7/token",
      body: { name: "ci", rpm: 5 },
    });
    expect(await question(keys, "disable 31 --user 7")).toEqual({
      method: "PUT",
      path: "/api/user/7/token/31",
      body: { status: 2 },
    });
    expect(await question(keys, "delete 31 --user 7")).toEqual({
      method: "DELETE",
      path: "/api/user/7/token/31",
    });
    expect(question(keys, "delete 31 32 --user 7")).rejects.toThrow(UsageError);
  });

  test("a key is rotated with an overlap, or its old secret ended", async () => {
    expect(await question(keys, "rotate 31 --overlap 3600")).toEqual({
      method: "POST",
      path: "/api/key/31/rotate",
      body: { overlap_s: 3600 },
    });
    expect(await question(keys, "rotate 31")).toMatchObject({ body: {} });
    expect(await question(keys, "end-old 31")).toEqual({
      method: "DELETE",
      path: "/api/key/31/old-secret",
    });
  });

  test("a service account is created in a team, moved and disabled", async () => {
    expect(await question(serviceAccounts, "create ci --team 3 --quota 25")).toEqual({
      method: "POST",
      path: "/api/service-account",
      body: { username: "ci", team_id: 3, quota_usd: "25" },
    });
    expect(await question(serviceAccounts, "list --team 3")).toEqual({
      method: "GET",
      path: "/api/service-account?after=0&team=3",
    });
    expect(await question(serviceAccounts, "move 9 --team 4")).toEqual({
      method: "PUT",
      path: "/api/service-account/9",
      body: { team_id: 4 },
    });
    expect(await question(serviceAccounts, "disable 9")).toEqual({
      method: "PUT",
      path: "/api/service-account/9",
      body: { status: 2 },
    });
    expect(question(serviceAccounts, "move 9")).rejects.toThrow(UsageError);
  });

  test("a noun without a verb lists", async () => {
    expect(await question(keys, "")).toEqual({
      method: "GET",
      path: "/api/token?page_size=100&p=1",
    });
    expect(await question(users, "--after 7")).toEqual({
      method: "GET",
      path: "/api/user?after=7",
    });
  });

  test("a team and a group are created and changed with the given fields only", async () => {
    expect(await question(teams, "create research --quota 500 --month 100")).toEqual({
      method: "POST",
      path: "/api/team",
      body: { name: "research", quota_usd: "500", budget_month_usd: "100" },
    });
    expect(await question(teams, "change 3 --quota none")).toEqual({
      method: "PUT",
      path: "/api/team/3",
      body: { quota_usd: null },
    });
    expect(await question(teams, "top-up 3 25 --reason more --operation a1")).toEqual({
      method: "POST",
      path: "/api/team/3/quota",
      body: { add_usd: "25", note: "more", operation: "a1" },
    });
    expect(
      await question(groups, 'create gold --models gpt-*,o3 --factor 0.9 --set {"shared_rpm":9}'),
    ).toEqual({
      method: "POST",
      path: "/api/group",
      body: { name: "gold", models: ["gpt-*", "o3"], price_factor: "0.9", shared_rpm: 9 },
    });
  });

  test("a user's address, displayed name and group are changed, and 'none' removes one", async () => {
    expect(await question(users, "change 7 --email ada@example.com --name Ada --group 2")).toEqual({
      method: "PUT",
      path: "/api/user/7",
      body: { email: "ada@example.com", display_name: "Ada", group_id: 2 },
    });
    expect(await question(users, "change 7 --email none --group none")).toEqual({
      method: "PUT",
      path: "/api/user/7",
      body: { email: null, group_id: null },
    });
  });

  test("fields of an object are JSON, or the content of a file", async () => {
    const read = { ...EMPTY, readFile: async (path: string) => `{"name":"from ${path}"}` };
    const asked = async (typed: string): Promise<Prompt> => {
      const { verb, words } = readVerb(channels, typed.split(" "), read);
      return await verb.ask(words);
    };

    expect((await asked("create --set @a.json")).body).toEqual({ name: "from a.json" });
    expect(await asked('edit main --set {"priority":2}')).toEqual({
      method: "PUT",
      path: "/api/channel/main",
      body: { priority: 2 },
    });
    expect(asked("edit main --set [1]")).rejects.toThrow("--set takes a JSON object");
    expect(asked("create")).rejects.toThrow("Give the fields with --set");
  });

  test("a model's price and a user's keys are changed", async () => {
    expect(await question(models, "set org/m --input 0.5 --output 2 --source list")).toEqual({
      method: "PUT",
      path: "/api/model/org/m",
      body: { input: "0.5", output: "2", source: "list" },
    });
    expect(await question(models, "unset org/m")).toEqual({
      method: "DELETE",
      path: "/api/model/org/m",
    });
    expect(await question(users, "end-session 7 ab/c")).toEqual({
      method: "DELETE",
      path: "/api/user/7/sessions/ab%2Fc",
    });
    expect(await question(users, "disable-key 7 9")).toEqual({
      method: "PUT",
      path: "/api/user/7/token/9",
      body: { status: 2 },
    });
  });

  test("a key is created with the given limits only", async () => {
    expect(
      await question(
        keys,
        "create ci --models gpt-4o*,o3 --quota 2.50 --expires 2030-01-01 --rpm 60",
      ),
    ).toEqual({
      method: "POST",
      path: "/api/token",
      body: {
        name: "ci",
        models: ["gpt-4o*", "o3"],
        quota_usd: "2.50",
        expires_at: 1_893_456_000,
        rpm: 60,
      },
    });
  });

  test("several keys are deleted in one request", async () => {
    expect(await question(keys, "delete 3 4")).toEqual({
      method: "POST",
      path: "/api/token/batch",
      body: { ids: [3, 4] },
    });
  });

  test("a user's password is read from standard input, never from the arguments", async () => {
    const body = { username: "ann", role: "auditor", password: "secret of ann" };

    expect(
      await question(users, "create ann --role auditor --password-stdin", "secret of ann"),
    ).toEqual({ method: "POST", path: "/api/user", body });
  });

  test("a document is read from its file, and applied by the digest of its plan", async () => {
    expect(await question(config, "plan owner.yaml")).toEqual({
      method: "POST",
      path: "/api/config/plan",
      document: "# owner.yaml",
    });
    expect(await question(config, "apply owner.yaml --plan 0f")).toMatchObject({
      path: "/api/config/apply?plan=0f",
      document: "# owner.yaml",
    });
    expect(await question(settings, "set log_level debug")).toEqual({
      method: "PUT",
      path: "/api/setting/log_level",
      body: { value: "debug" },
    });
  });

  test("a quota is shown, set or removed", async () => {
    expect((await question(users, "quota 3")).method).toBe("GET");
    expect((await question(users, "quota 3 --set 5 --reason paid")).body).toEqual({
      quota_usd: "5",
      reason: "paid",
    });
    expect((await question(users, "quota 3 --set none")).body).toMatchObject({ quota_usd: null });
  });
});

test.each([
  ["keys burn 3", "Unknown command 'keys burn'. Known: list, create"],
  ["keys crate ci", "Did you mean 'keys create'?"],
  ["keys create ci --model gpt-4o", "Unknown option '--model'. Did you mean '--models'?"],
  ["keys create ci -x", "Unknown option '-x'."],
  ["keys create ci --models", "Option '--models <value>' argument missing."],
  ["keys create", "Give the name of the new key"],
  ["keys create a b", "no other arguments"],
  ["keys create a --rpm fast", "--rpm takes a whole number"],
  ["keys create a --expires soon", "--expires takes a date"],
  ["keys create a --expires 1", "--expires takes a date"],
  ["keys create a --expires 2030-02-30", "--expires takes a date"],
  ["keys create a --expires 2030-01-01T08:00", "--expires takes a date"],
  ["keys create a --colour red", "colour"],
  ["keys delete x", "'x' is not an id"],
  ["config apply owner.yaml", "--plan takes the digest"],
  ["settings set log_level", "Give a setting and its value"],
  ["users list now", "Unexpected argument 'now'"],
  ["users create ann --password-stdin", "Write the password to the standard input"],
])("'%s' is refused with a helpful message", async (line, words) => {
  const [noun = "", ...typed] = line.split(" ");
  const nouns = [keys, users, config, settings];
  const asked = question(nouns.find(({ name }) => name === noun) ?? keys, typed.join(" "));

  const why: unknown = await asked.then(
    () => undefined,
    (cause: unknown) => cause,
  );

  expect(why).toBeInstanceOf(UsageError);
  expect(String(why)).toContain(words);
});

test("names with control characters cannot affect the terminal", () => {
  const item = { id: 1, username: "a\u001b[2J", email: null, role: "user", status: 1 };

  expect(shown(users, "list", { items: [item] })).not.toContain("\u001b");
});

test("lists are printed as tables", () => {
  const key = { id: 3, name: "ci", status: 2, last4: "WxYz", models: ["*"], used_usd: null };

  expect(
    shown(keys, "list", { items: [{ ...key, quota_usd: null, expires_at: 1_893_456_000 }] }),
  ).toBe(
    "id  name  key      status    models  used $  quota $  expires\n" +
      "3   ci    ...WxYz  disabled  *       -       -        2030-01-01T00:00Z",
  );
  expect(shown(keys, "list", { items: [] })).toBe("none");
  expect(shown(keys, "create", { ...key, key: "sk-slc_x" })).toBe("sk-slc_x");
});

describe("a file of prices", () => {
  const OWN = { provider: "openai", date: "2026-11-23", models: [{ id: "a" }] };
  const asked = (typed: string, text: string): Promise<Prompt> => {
    const inputs = { ...EMPTY, readFile: async () => text, readLink: async () => text };
    const { verb, words } = readVerb(models, typed.split(" "), inputs);
    return Promise.resolve(verb.ask(words));
  };

  test("is read from a file or a link, and only planned without --apply", async () => {
    const text = JSON.stringify([OWN, { ...OWN, provider: "mistral" }]);

    expect(await asked("update prices.json", text)).toMatchObject({
      method: "POST",
      path: "/api/catalog/plan",
      body: { files: [{ provider: "openai" }, { provider: "mistral" }] },
    });
    expect(
      await asked("update https://list.example/a --apply --provider mistral", text),
    ).toMatchObject({
      path: "/api/catalog",
      body: { files: [{ provider: "mistral" }] },
      beside: { format: "a catalogue file", is_applied: true },
    });
  });

  test.each([
    ["update a.json", "{}", "none of the known formats"],
    ["update a.json", "<html>", "not valid JSON"],
    ["update a.json --date 2026-02-30", JSON.stringify(OWN), "--date takes a day"],
    ["update a.json --provider nobody", JSON.stringify(OWN), "no models of these providers"],
    ["update", JSON.stringify(OWN), "Give a file or a link"],
  ])("%s with %s is refused", async (typed, text, why) => {
    expect(asked(typed, text)).rejects.toThrow(why);
  });

  test("behind an unreachable link reports the reason", async () => {
    const inputs = {
      ...EMPTY,
      readLink: () => Promise.reject(new Error("This URL may not be fetched.")),
    };
    const { verb, words } = readVerb(models, ["update", "http://inside/a.json"], inputs);

    expect(Promise.resolve(verb.ask(words))).rejects.toThrow(
      "The link cannot be read: This URL may not be fetched.",
    );
  });

  test("shows the planned changes and states that nothing was changed", () => {
    const lines = shown(models, "update a.json", {
      format: "models.dev",
      is_applied: false,
      added: [{ provider: "openai", id: "new-1", price: { input: "1", output: "2", tiers: [] } }],
      changed: [
        { provider: "openai", id: "old-1", field: "price.input", before: "1", after: "2" },
        { provider: "openai", id: "old-1", field: "retires", before: null, after: "2027-01-01" },
      ],
      unchanged: 3,
      left_out: [{ provider: "openai", id: "odd-1", why: "its price stays" }],
      not_read: [],
      other_providers: { azure: 2, poe: 1 },
    });

    expect(lines).toBe(
      [
        "Read as models.dev.",
        "",
        "New models: 1",
        "  openai new-1  input 1, output 2",
        "",
        "Changed prices: 1",
        "  openai old-1  price.input  1 -> 2",
        "",
        "Other changes: 1",
        "  openai old-1  retires  - -> 2027-01-01",
        "",
        "Left out: 1",
        "  openai odd-1  its price stays",
        "",
        "Unchanged: 3. Of other providers: 3 models of 2 providers.",
        "Nothing was changed. Use --apply to make these changes.",
      ].join("\n"),
    );
  });
});
