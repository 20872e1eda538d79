import { expect, test } from "bun:test";
import { waitFor } from "#test/wait.ts";
import type { SupervisorMessage, WorkerMessage } from "./messages.ts";
import { Supervisor } from "./supervisor.ts";
import type { StartWorker } from "./worker-process.ts";

const QUIET = { info() {}, error() {} };

interface FakeWorker {
  readonly pid: number;
  readonly port: number | undefined;
  readonly signals: NodeJS.Signals[];
  readonly received: SupervisorMessage["type"][];
  exit(code: number): void;
  say(message: WorkerMessage): void;
}

/** Processes that do as the test says. `starts`: whether the n-th one begins to listen. */
function fakeWorkers(starts: (n: number) => boolean = () => true) {
  const workers: FakeWorker[] = [];
  const startWorker: StartWorker = (port, onMessage) => {
    const exited = Promise.withResolvers<number>();
    const pid = workers.length + 1;
    const text = `# HELP a_total A.\n# TYPE a_total counter\na_total ${10 ** (pid - 1)}\n`;
    const worker: FakeWorker = {
      pid,
      port,
      signals: [],
      received: [],
      exit: exited.resolve,
      say: onMessage,
    };
    workers.push(worker);
    queueMicrotask(() => {
      if (!starts(pid)) exited.resolve(1);
      else onMessage({ type: "ready", url: "http://127.0.0.1:8123", greeting: `hello ${pid}` });
    });
    return {
      pid,
      exited: exited.promise,
      kill(signal) {
        worker.signals.push(signal);
        exited.resolve(signal === "SIGKILL" ? 1 : 0);
      },
      send(message) {
        worker.received.push(message.type);
        if (message.type === "report") onMessage({ type: "metrics", id: message.id, text });
        if (message.type === "retire") exited.resolve(0);
        if (message.type === "sum") sums.push(message.text);
      },
    };
  };
  const sums: string[] = [];
  return { workers, startWorker, sums };
}

test("workers after the first one share its port, and its greeting is the program's", async () => {
  const { workers, startWorker } = fakeWorkers();
  const supervisor = new Supervisor({ count: 3, startWorker, log: QUIET });

  expect(await supervisor.start()).toBe("hello 1");
  expect(workers.map(({ port }) => port)).toEqual([undefined, 8123, 8123]);
  expect(await supervisor.stop("SIGTERM")).toBe(0);
  expect(workers.map(({ signals }) => signals)).toEqual([["SIGTERM"], ["SIGTERM"], ["SIGTERM"]]);
});

test("a program whose worker does not start does not start", async () => {
  const { workers, startWorker } = fakeWorkers((n) => n !== 2);
  const supervisor = new Supervisor({ count: 2, startWorker, log: QUIET });

  expect(await supervisor.start()).toBeUndefined();
  await supervisor.stop("SIGTERM");
  expect(workers).toHaveLength(2);
});

test("a dead worker is replaced, also if its first successors do not start", async () => {
  const { workers, startWorker } = fakeWorkers((n) => n < 3 || n > 4);
  const options = { count: 2, startWorker, log: QUIET, firstBackoffMs: 1 };
  const supervisor = new Supervisor(options);
  await supervisor.start();

  workers[0]?.exit(137);
  await waitFor(() => workers.length === 5);

  expect(await supervisor.stop("SIGTERM")).toBe(0);
  expect(workers[4]?.signals).toEqual(["SIGTERM"]);
});

test("the program gives up after workers failed to start again and again", async () => {
  const { workers, startWorker } = fakeWorkers((n) => n === 1);
  const options = { count: 1, startWorker, log: QUIET, firstBackoffMs: 0.01 };
  const supervisor = new Supervisor(options);
  await supervisor.start();

  workers[0]?.exit(1);
  await supervisor.failed;

  expect(workers.length).toBeGreaterThan(5);
  await supervisor.stop("SIGTERM");
});

test("a restart replaces each worker after its successor listens", async () => {
  const { workers, startWorker } = fakeWorkers();
  const supervisor = new Supervisor({ count: 2, startWorker, log: QUIET });
  await supervisor.start();

  await supervisor.restart();

  expect(workers.map(({ received }) => received)).toEqual([["retire"], ["retire"], [], []]);
  expect(await supervisor.stop("SIGTERM")).toBe(0);
  expect(workers.map(({ signals }) => signals.length)).toEqual([0, 0, 1, 1]);
});

test("a restart whose new worker does not start leaves the present ones", async () => {
  const { workers, startWorker } = fakeWorkers((n) => n < 3);
  const supervisor = new Supervisor({ count: 2, startWorker, log: QUIET });
  await supervisor.start();

  await supervisor.restart();

  expect(workers.slice(0, 2).map(({ received }) => received)).toEqual([[], []]);
  await supervisor.stop("SIGTERM");
});

test("a sum contains the counters of ended workers", async () => {
  const { workers, startWorker, sums } = fakeWorkers();
  const supervisor = new Supervisor({ count: 2, startWorker, log: QUIET });
  await supervisor.start();
  const text = "# HELP a_total A.\n# TYPE a_total counter\na_total 1\n";

  workers[0]?.say({ type: "sum", id: 1, text });
  await waitFor(() => sums.length === 1);
  await supervisor.restart();
  workers[2]?.say({ type: "sum", id: 1, text: text.replace("a_total 1\n", "a_total 100\n") });
  await waitFor(() => sums.length === 2);

  expect(sums[0]).toContain("a_total 11\n");
  expect(sums[0]).toContain("sluice_workers 2\n");
  expect(sums[1]).toContain("a_total 1111\n");
  await supervisor.stop("SIGTERM");
});
