import type { ConsolePlace } from "./console-place.ts";

const PRICE = { input: 0.15, output: 0.6 };

/** Something on each page: keys, calls that succeed and fail, a group, assets and people. */
export async function seedConsole({
  gateway,
  root,
}: Pick<ConsolePlace, "gateway" | "root">): Promise<void> {
  const made = [
    await root("POST", "/api/token", { name: "checkout service", rpm: 600, quota_usd: "25" }),
    await root("POST", "/api/token", { name: "nightly evaluation", models: ["gpt-4o-mini"] }),
    await root("POST", "/api/user", {
      username: "li.wei",
      role: "user",
      password: "nobody would guess this",
    }),
    await root("PUT", "/api/setting/model_page", { value: "on" }),
    await root("POST", "/api/group", { name: "partners", prices: { "gpt-4o-mini": PRICE } }),
    await root("POST", "/api/asset/self/group", { name: "Launch film", place: "gateway" }),
  ];
  const refused = made.find(({ status }) => status !== 200);
  if (refused !== undefined) throw new Error(`The seed was refused: ${refused.body.message}`);
  const models = ["gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "no-such-model"];
  await Promise.all(
    Array.from({ length: 24 }, async (_, at) => {
      const answer = await gateway.post(
        "/v1/chat/completions",
        {
          model: models[at % models.length],
          messages: [{ role: "user", content: `Question ${at}` }],
          stream: at % 2 === 0,
        },
        { "sluice-tags": `project=p${at % 3}` },
      );
      await answer.text();
    }),
  );
}
