import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credential, type Channel } from "#core/channel.ts";
import { nanoUsd } from "#core/money.ts";
import type { Task } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import { openEgress } from "#egress/upstream.ts";
import { systemClock } from "#lib/clock.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { TaskScheduler } from "#relay/tasks/task-scheduler.ts";
import { openAt } from "#test/storage/contract-place.ts";

/**
 * What unfinished videos cost the gateway that looks at them, and how late it
 * is: `bun bench/tasks.ts [tasks] [seconds]`. The vendor is a process of its
 * own; every tenth question goes to a channel that never answers.
 */
const TASKS = Number(process.argv[2] ?? 5_000);
const SECONDS = Number(process.argv[3] ?? 30);
const LEASE_MS = 30_000;
const HANGING_SHARE = 10;

async function measure(): Promise<void> {
  const vendor = Bun.spawn([process.execPath, import.meta.path, "vendor"], { stdout: "pipe" });
  const reader = vendor.stdout.getReader();
  const port = new TextDecoder().decode((await reader.read()).value).trim();
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-tasks-"));
  const storage = await openAt({ dataDir });
  const deadlines = new Deadlines();
  const egress = openEgress(LIMITS, deadlines);
  const late: number[] = [];
  const taskScheduler = new TaskScheduler({
    tasks: storage.tasks,
    ledger: storage.ledger,
    egress,
    clock: systemClock,
    deadlines,
    lease: { owner: "bench", leaseMs: LEASE_MS },
    limits: { tasks: TASKS, taskPolls: 32 },
    findChannel: (name) => channelAt(name, port),
    announce: async () => {},
    onClosed() {},
    onError() {},
    polls: { onPoll: (ms) => late.push(ms) },
  });
  const renewing = setInterval(() => void taskScheduler.renew(), 1_000);
  try {
    for (let at = 0; at < TASKS; at++) taskScheduler.take(taskNumber(at));
    await Bun.sleep(5_000);
    late.length = 0;
    const before = process.cpuUsage();
    const startedAt = performance.now();
    await Bun.sleep(SECONDS * 1_000);
    const { user, system } = process.cpuUsage(before);
    const share = (user + system) / 1_000 / (performance.now() - startedAt);
    report(late, share);
  } finally {
    clearInterval(renewing);
    egress.close();
    vendor.kill();
    await storage.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  process.exit(0);
}

const LIMITS = {
  connectMs: 3_000,
  firstByteMs: 60_000,
  unaryMs: 600_000,
  idleMs: 60_000,
  totalMs: 3_600_000,
  answerBytes: 1_000_000,
};

function channelAt(name: string, port: string): Channel {
  return {
    name,
    provider: "ark",
    baseUrl: `http://127.0.0.1:${port}/${name}`,
    credentials: [credential("secret-of-the-bench")],
    models: { kind: "discover" },
    priority: 1,
    weight: 1,
    maxConcurrent: 1_000,
    isSimulated: false,
  };
}

function taskNumber(at: number): Task {
  const now = Date.now();
  const id = `task_${at}`;
  return {
    id,
    userId: 1,
    keyId: 1,
    entry: "video-unified",
    model: "m",
    facts: { scenario: "text", seconds: 5 },
    status: "running",
    place: {
      channel: at % HANGING_SHARE === 0 ? "hanging" : "quick",
      provider: "ark",
      upstreamModel: "doubao-seedance-1-0-pro-250528",
      format: "video-ark",
      credential: credential("secret-of-the-bench").label,
      upstreamId: `cgt-${id}`,
    },
    videos: [],
    usage: NO_USAGE,
    held: nanoUsd(0),
    lost: [],
    // Old enough to be looked at every fifteen seconds.
    createdAt: now - 600_000,
    startedAt: now - 590_000,
    deadlineAt: now + 86_400_000,
    dueAt: now + Math.round(Math.random() * 15_000),
    failures: 0,
    misses: 0,
    isSettled: false,
    version: 1,
  };
}

function report(late: readonly number[], share: number): void {
  const sorted = late.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  const looks = `${late.length} looks in ${SECONDS} s at ${TASKS} tasks`;
  const lateness = `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms late`;
  process.stdout.write(`${looks}: ${lateness}, ${(share * 100).toFixed(1)} % of a core\n`);
}

if (process.argv[2] === "vendor") {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch({ url }) {
      if (url.includes("/hanging/")) return new Promise<Response>(() => {});
      const id = url.slice(url.lastIndexOf("/") + 1);
      return Response.json({ id, status: "running" });
    },
  });
  process.stdout.write(`${server.port}\n`);
} else {
  await measure();
}
