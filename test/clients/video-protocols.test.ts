import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createByteDance } from "@ai-sdk/bytedance";
import { createMiniMax } from "@ai-sdk/minimax";
import { experimental_generateVideo as generateVideo } from "ai";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { KEY, openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";

const SEEDANCE = "doubao-seedance-1-0-pro-250528";
const H3 = "MiniMax-H3";
const FILE = new TextEncoder().encode("\0\0\0\x18ftypmp42 a fox");
/** The client's own guard lets nobody fetch from this machine. */
const fetched = async ({ url }: { readonly url: URL }) => {
  const response = await fetch(url);
  const data = new Uint8Array(await response.arrayBuffer());
  return { data, mediaType: response.headers.get("content-type") ?? undefined };
};

let sandbox: Sandbox;
let vendor: Bun.Server<undefined>;
let opened: TestGateway;
const asked: unknown[] = [];
let made = 0;
beforeAll(async () => {
  sandbox = await startSandbox({ tasks: { queuedMs: 0, runningMs: 0 } });
  vendor = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  const ark = simulatedChannel("ark", sandbox.url, `models: [${SEEDANCE}]`, "ark");
  const minimax = simulatedChannel("minimax", vendor.url.origin, "", "minimax");
  opened = await openTestGateway({
    yaml: `channels:\n${ark.replace("/openai/v1", "/ark/api/v3")}\n${minimax.replace("/openai/v1", "")}`,
  });
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
  await vendor.stop(true);
});

/** The other vendor, whose tasks are done at once, but for those that it finds improper. */
async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/fox.mp4")
    return new Response(FILE, { headers: { "content-type": "video/mp4" } });
  if (request.method === "POST") {
    const body = (await request.json()) as { readonly content: readonly { text?: string }[] };
    asked.push(body);
    const isImproper = body.content[0]?.text === "an improper fox";
    return Response.json({ task_id: `${isImproper ? 9 : 1}00${++made}` });
  }
  const id = pathname.split("/").at(-1) ?? "";
  const task = id.startsWith("9")
    ? { id, status: "failed", error: { code: "1027", message: "It may be sensitive." } }
    : { id, status: "succeeded", content: { url: `${vendor.url.origin}/fox.mp4` } };
  return Response.json({ task });
}

describe("[B4.2-a] the AI SDK's package for protocol A, unmodified", () => {
  test("gets a video", async () => {
    const seedance = createByteDance({ baseURL: `${opened.url}/videoa/api/v3`, apiKey: KEY });
    const { video } = await generateVideo({
      model: seedance.video(SEEDANCE),
      prompt: "a fox",
      aspectRatio: "16:9",
      duration: 5,
      maxRetries: 0,
      download: fetched,
      providerOptions: { bytedance: { pollIntervalMs: 20 } },
    });

    expect(video.mediaType).toBe("video/mp4");
    expect(video.uint8Array.length).toBeGreaterThan(100);
  });
});

describe("[B4.5] the AI SDK's package for protocol D, unmodified", () => {
  const generate = (prompt: Parameters<typeof generateVideo>[0]["prompt"]) =>
    generateVideo({
      model: createMiniMax({ videoBaseURL: `${opened.url}/videod`, apiKey: KEY }).video(H3),
      prompt,
      duration: 6,
      maxRetries: 0,
      download: fetched,
      providerOptions: { minimax: { pollIntervalMs: 20, resolution: "768P" } },
    });

  test("gets a video from text", async () => {
    const { video, warnings } = await generate("a fox");

    expect(warnings).toEqual([]);
    expect(video.uint8Array).toEqual(FILE);
    expect(asked.at(-1)).toMatchObject({
      model: H3,
      content: [{ type: "text", text: "a fox" }],
      resolution: "768P",
      duration: 6,
      ratio: "16:9",
    });
  });

  test("gets a video from an image", async () => {
    const { video } = await generate({
      image: "https://pictures.example/fox.png",
      text: "it runs",
    });

    expect(video.uint8Array).toEqual(FILE);
    expect(asked.at(-1)).toMatchObject({
      content: [
        { type: "text", text: "it runs" },
        { type: "image_url", role: "first_frame" },
      ],
    });
  });

  test("reports the reason of a failed video, and an invalid request", async () => {
    expect(await whyNot(generate("an improper fox"))).toContain("It may be sensitive.");
    expect(await whyNot(generate("x".repeat(7_001)))).toContain("at most 7000 characters");
  });
});

async function whyNot(making: Promise<unknown>): Promise<string> {
  try {
    await making;
  } catch (cause) {
    return cause instanceof Error ? cause.message : "";
  }
  return "";
}
