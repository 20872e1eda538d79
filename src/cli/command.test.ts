import { describe, expect, test } from "bun:test";
import { readVerb, UsageError, type Question } from "./command.ts";
import { config } from "./config.ts";
import { keys } from "./keys.ts";
import { settings } from "./settings.ts";
import { users } from "./users.ts";

const NOTHING = { readLine: async () => "", readFile: async () => "" };

async function question(noun: typeof keys, typed: string, line = ""): Promise<Question> {
  const { verb, words } = readVerb(noun, typed.split(" ").filter(Boolean), {
    readLine: async () => line,
    readFile: async (path) => `# ${path}`,
  });
  return await verb.ask(words);
}

function shown(noun: typeof keys, typed: string, data: object): string {
  return readVerb(noun, typed.split(" "), NOTHING)
    .verb.show({ ...data })
    .join("\n");
}

describe("what is typed becomes a question to the management API", () => {
  test("a noun alone lists", async () => {
    expect(await question(keys, "")).toEqual({
      method: "GET",
      path: "/api/token?page_size=100&p=1",
    });
    expect(await question(users, "--after 7")).toEqual({
      method: "GET",
      path: "/api/user?after=7",
    });
  });

  test("a key is made with the bounds that are named, and no others", async () => {
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

  test("keys are deleted together", async () => {
    expect(await question(keys, "delete 3 4")).toEqual({
      method: "POST",
      path: "/api/token/batch",
      body: { ids: [3, 4] },
    });
  });

  test("a user's password is never among the words, only in the standard input", async () => {
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

  test("a quota is shown, set, or taken away", async () => {
    expect((await question(users, "quota 3")).method).toBe("GET");
    expect((await question(users, "quota 3 --set 5 --reason paid")).body).toEqual({
      quota_usd: "5",
      reason: "paid",
    });
    expect((await question(users, "quota 3 --set none")).body).toMatchObject({ quota_usd: null });
  });
});

test.each([
  ["keys burn 3", "'keys' knows no 'burn', but: list, create"],
  ["keys create", "Name the new key"],
  ["keys create a b", "nothing else"],
  ["keys create a --rpm fast", "--rpm takes a whole number"],
  ["keys create a --expires soon", "--expires takes a date"],
  ["keys create a --expires 1", "--expires takes a date"],
  ["keys create a --expires 2030-02-30", "--expires takes a date"],
  ["keys create a --expires 2030-01-01T08:00", "--expires takes a date"],
  ["keys create a --colour red", "colour"],
  ["keys delete x", "'x' is not an id"],
  ["config apply owner.yaml", "--plan takes the digest"],
  ["settings set log_level", "Name a setting and its value"],
  ["users list now", "'now' has no meaning here"],
  ["users create ann --password-stdin", "Write the password to the standard input"],
])("'%s' is refused in words that help", async (line, words) => {
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

test("what names hold cannot steer the terminal", () => {
  const item = { id: 1, username: "a\u001b[2J", email: null, role: "user", status: 1 };

  expect(shown(users, "list", { items: [item] })).not.toContain("\u001b");
});

test("answers are tables for people", () => {
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
