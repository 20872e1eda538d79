import type { JsonObject } from "#lib/json.ts";
import { openVendor, type Seen, type Vendor } from "#test/adapter/vendor.ts";
import { ROOT } from "#test/accounts.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

/** A gateway before a vendor that answers in the wire formats of several. */
export interface VideoPlace extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly vendor: Vendor;
  /** What the vendor answers to each request for a video, with a number behind each `upstream`. */
  taken: Answer;
  /** What it answers to each question after one. */
  task: Answer;
  /** What it answers to whoever takes a task back. */
  cancelled: Answer;
  /** Requests for videos that it got. */
  asked(): readonly Seen[];
  /** The answer to a question that is asked until it is as it should be. */
  until(path: string, isSo: (answer: JsonObject) => boolean): Promise<JsonObject>;
  send(method: string, path: string, body?: unknown, key?: string): Promise<Reply>;
}

interface Answer {
  readonly status?: number;
  readonly body: JsonObject;
}

interface Reply {
  readonly status: number;
  readonly lossy: string | null;
  readonly body: JsonObject;
}

export const SEEDANCE = "doubao-seedance-2-0-260128";
export const FAST = "doubao-seedance-2-0-fast-260128";
export const SORA = "sora-2";
export const VEO = "veo-3.1-generate-preview";
export const WAN = "wan2.5-t2v-preview";
export const CHATTY = "gpt-4o-mini";

const CHANNELS = [
  ["ark", "/ark/api/v3", [SEEDANCE, FAST]],
  ["openai", "/openai/v1", [SORA, CHATTY]],
  ["gemini", "/gemini/v1beta", [VEO]],
  ["dashscope", "/dashscope/compatible-mode/v1", [WAN]],
] as const;

export async function openVideoPlace(yaml = ""): Promise<VideoPlace> {
  let taken = 0;
  const vendor = openVendor((seen) => {
    const { status = 200, body } = answerTo(seen);
    const text = JSON.stringify(body);
    // No vendor gives two tasks the same id.
    const own = seen.method === "POST" ? text.replaceAll("upstream", `upstream${++taken}`) : text;
    return new Response(own, { status, headers: { "content-type": "application/json" } });
  });
  const channels = CHANNELS.map(
    ([provider, path, models]) =>
      `  - { name: ${provider}, provider: ${provider}, base_url: "${vendor.url}${path}", ` +
      `api_keys: [first-secret, second-secret], models: [${models.join(", ")}] }`,
  );
  const gateway = await openTestGateway({
    yaml: `channels:\n${channels.join("\n")}\n${yaml}`,
    env: {
      SLUICE_LIMIT_ATTEMPTS: "1",
      SLUICE_ADMIN_EMAIL: ROOT.email,
      SLUICE_ADMIN_PASSWORD: ROOT.password,
    },
  });

  function answerTo({ method, path }: Seen): Answer {
    if (method === "DELETE") return place.cancelled;
    const isLook = method === "GET" || path.includes("/api/v1/tasks/");
    return isLook ? place.task : place.taken;
  }

  async function send(method: string, path: string, body?: unknown, key = KEY): Promise<Reply> {
    const isForm = body instanceof FormData;
    const response = await fetch(gateway.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(isForm || body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    return {
      status: response.status,
      lossy: response.headers.get("sluice-lossy"),
      body: (await response.json()) as JsonObject,
    };
  }

  const place: VideoPlace = {
    gateway,
    vendor,
    taken: { body: {} },
    task: { body: {} },
    cancelled: { body: {} },
    asked: () => vendor.seen.filter(({ method }) => method === "POST"),
    async until(path, isSo) {
      let answer: JsonObject = {};
      await waitFor(async () => {
        ({ body: answer } = await send("GET", path));
        return isSo(answer);
      });
      return answer;
    },
    send,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
  return place;
}
