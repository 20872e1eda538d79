import type { Database } from "bun:sqlite";
import { nanoUsd } from "#core/money.ts";
import type { Task } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { MadeVideo } from "#core/video.ts";
import { rowOf } from "#storage/tables/tasks.ts";
import { openGatewayDatabase, writeWhenFree } from "#test/gateway-database.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

export const SECRET = "upstream-secret";
/** By which tasks know it. */
const LABEL = "...cret";

/** The beginning of an MP4, and then bytes of which each says where it is. */
export const VIDEO = videoOf(100_000);

export function videoOf(sizeBytes: number): Uint8Array {
  const bytes = Uint8Array.from({ length: sizeBytes }, (_, at) => (at * 7) % 251);
  bytes.set(Buffer.from("000000206674797069736f6d00000200", "hex"));
  return bytes;
}

interface SentRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
}

export interface FileServer extends AsyncDisposable {
  readonly url: string;
  readonly asked: SentRequest[];
  /** Answers that somebody let go of before their end. */
  readonly cut: number;
  /** What is at a path; 404 for others. */
  readonly files: Map<string, (asked: SentRequest) => Response | Promise<Response>>;
}

export function openFileServer(hostname = "127.0.0.1"): FileServer {
  const asked: SentRequest[] = [];
  const files: FileServer["files"] = new Map();
  let cut = 0;
  const server = Bun.serve({
    hostname,
    port: 0,
    idleTimeout: 60,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      const one = { path: pathname + search, method: request.method, headers: request.headers };
      asked.push(one);
      request.signal.addEventListener("abort", () => cut++);
      return files.get(one.path)?.(one) ?? new Response("no", { status: 404 });
    },
  });
  return {
    url: `http://${hostname}:${server.port}`,
    asked,
    files,
    get cut() {
      return cut;
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

/** As object stores answer: whole, or the one range that is asked for. */
export function stored(bytes: Uint8Array, more: Record<string, string> = {}) {
  return ({ headers }: SentRequest): Response => {
    const about = { "content-type": "video/mp4", "accept-ranges": "bytes", etag: '"v1"', ...more };
    const range = /^bytes=(\d*)-(\d*)$/.exec(headers.get("range") ?? "");
    const isCurrent = (headers.get("if-range") ?? '"v1"') === '"v1"';
    if (range === null || !isCurrent) return new Response(bytes, { headers: about });
    const [, first = "", last = ""] = range;
    const start = first === "" ? Math.max(0, bytes.length - Number(last)) : Number(first);
    const end =
      first === "" || last === "" ? bytes.length : Math.min(bytes.length, Number(last) + 1);
    if (start >= bytes.length) {
      const none = { "content-range": `bytes */${bytes.length}` };
      return new Response(null, { status: 416, headers: none });
    }
    const span = { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` };
    return new Response(bytes.slice(start, end), { status: 206, headers: { ...about, ...span } });
  };
}

export interface ContentPlace extends AsyncDisposable {
  readonly gateway: TestGateway;
  /** Whom the channels lead to. */
  readonly vendor: FileServer;
  /** Where open links lead to. */
  readonly elsewhere: FileServer;
  /** A finished task of the test's key, on the named channel. */
  made(channel: ChannelName, videos: readonly MadeVideo[], more?: Partial<Task>): Promise<string>;
  /** Runs a query on the gateway's database. */
  readonly db: Database;
  content(id: string, headers?: Record<string, string>, query?: string): Promise<Response>;
}

/** Channels that differ in where their results are. */
const CHANNELS = {
  /** Links that are open to anybody. */
  open: {
    provider: "ark",
    path: "/ark",
    model: "doubao-seedance-1-0-pro-250528",
    format: "video-ark",
  },
  /** An endpoint of its own. */
  endpoint: { provider: "openai", path: "/openai", model: "sora-2", format: "video-openai" },
  /** Links that need the credential. */
  keyed: {
    provider: "gemini",
    path: "/gemini",
    model: "veo-3.1-generate-preview",
    format: "video-veo",
  },
  /** Bytes within the answer. */
  inside: {
    provider: "vertex",
    path: "/vertex",
    model: "veo-3.1-generate-001",
    format: "video-veo",
  },
} as const;

type ChannelName = keyof typeof CHANNELS;

export async function openContentPlace(
  env: Record<string, string> = {},
  dataDir?: string,
): Promise<ContentPlace> {
  const vendor = openFileServer();
  const elsewhere = openFileServer();
  const port = new URL(elsewhere.url).port;
  const gateway = await openTestGateway({
    yaml: channelsAt(vendor.url),
    ...(dataDir === undefined ? {} : { dataDir }),
    env: { SLUICE_LINKS_ALLOW: "127.0.0.1", SLUICE_LINKS_PORTS: `80,443,${port}`, ...env },
  });
  const db = openGatewayDatabase(gateway.dataDir);
  return {
    gateway,
    vendor,
    elsewhere,
    db,
    async made(channel, videos, more = {}) {
      const task = aTask(channel, videos, more);
      await insert(db, task);
      return task.id;
    },
    content: (id, headers, query = "") => gateway.get(`/v1/videos/${id}/content${query}`, headers),
    async [Symbol.asyncDispose]() {
      db.close();
      await gateway[Symbol.asyncDispose]();
      await elsewhere[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

/** The text of a sluice.yaml whose channels all lead to one server. */
export function channelsAt(url: string): string {
  const channels = Object.entries(CHANNELS).map(
    ([name, { provider, path, model }]) =>
      `  - { name: ${name}, provider: ${provider}, base_url: "${url}${path}", api_key: ${SECRET}, models: [${model}] }`,
  );
  return `channels:\n${channels.join("\n")}`;
}

let last = 0;

export function aTask(
  channel: ChannelName,
  videos: readonly MadeVideo[],
  more: Partial<Task>,
): Task {
  const { provider, model, format } = CHANNELS[channel];
  const now = Date.now();
  const upstreamId = `up-${++last}`;
  return {
    id: `task_${crypto.randomUUID().replaceAll("-", "")}`,
    userId: 1,
    keyId: 1,
    entry: "video-openai",
    model,
    facts: { scenario: "text" },
    status: "succeeded",
    place: { channel, provider, upstreamModel: model, format, credential: LABEL, upstreamId },
    videos,
    usage: NO_USAGE,
    held: nanoUsd(0),
    lost: [],
    createdAt: now,
    finishedAt: now,
    deadlineAt: now + 3_600_000,
    dueAt: now,
    failures: 0,
    misses: 0,
    isSettled: true,
    version: 1,
    ...more,
  };
}

export async function insert(db: Database, task: Task): Promise<void> {
  const row = { ...rowOf(task), lease_owner: null, lease_until: 0, hurried: 0, removed: 0 };
  const names = Object.keys(row);
  const marks = names.map((name) => `$${name}`);
  const values = Object.entries(row).map(([name, value]) => [`$${name}`, value ?? null]);
  const sql = `INSERT INTO tasks (${names.join(", ")}) VALUES (${marks.join(", ")})`;
  await writeWhenFree(db, (each) => void each.query(sql).run(Object.fromEntries(values)));
}
