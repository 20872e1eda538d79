import { setTimeout as sleep } from "node:timers/promises";
import type { WorkerMessage } from "./messages.ts";
import { keepCounters, sumMetrics } from "./sum-metrics.ts";
import type { StartWorker, WorkerProcess } from "./worker-process.ts";

interface SupervisorOptions {
  readonly count: number;
  readonly startWorker: StartWorker;
  readonly log: SupervisorLog;
  /** The wait before a dead worker is replaced doubles from this. */
  readonly firstBackoffMs?: number;
}

interface SupervisorLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface Worker {
  readonly process: WorkerProcess;
  readonly startedAt: number;
  /** The newest metrics that it sent. */
  metrics: string;
  /** Requests for metrics since its last reply. */
  unanswered: number;
  /** Its end is wanted. */
  isEnding: boolean;
}

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 30_000;
/** A worker that lived this long did not die of its start. */
const STABLE_MS = 60_000;
/** Failed starts in a row, while no worker runs, after which the program ends. */
const MAX_FAILED_STARTS = 8;
const REPORT_EVERY_MS = 10_000;
const REPORT_MS = 1_000;
/** A worker that answered none of so many requests does not work any more. */
const MAX_UNANSWERED = 6;

/** Keeps several processes of a gateway running on one port, as one program. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #workers = new Set<Worker>();
  readonly #reports = new Map<number, () => void>();
  readonly #failed = Promise.withResolvers<void>();
  #port: number | undefined;
  #greeting = "";
  #lastReport = 0;
  #failures = 0;
  #deaths = 0;
  /** Counters of workers that ended. */
  #ended = "";
  readonly #stopping = new AbortController();
  #restarting: Promise<void> | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Resolves if no worker can be kept running. */
  get failed(): Promise<void> {
    return this.#failed.promise;
  }

  /** Starts the workers; the first one's greeting, or undefined if one does not start. */
  async start(): Promise<string | undefined> {
    // It creates the schema and the secret, and finds the port.
    if ((await this.#open()) === undefined) return undefined;
    const others = Array.from({ length: this.#options.count - 1 }, () => this.#open());
    if ((await Promise.all(others)).includes(undefined)) return undefined;
    this.#watch = setInterval(() => this.#checkAll(), REPORT_EVERY_MS);
    return this.#greeting;
  }

  /** Replaces the workers one after another; each accepts calls until another one does. */
  restart(): Promise<void> {
    this.#restarting ??= this.#replaceAll().finally(() => (this.#restarting = undefined));
    return this.#restarting;
  }

  /** Lets all workers drain at once; the exit code of the program. */
  async stop(signal: NodeJS.Signals): Promise<0 | 1> {
    this.#stopping.abort();
    clearInterval(this.#watch);
    const codes = [...this.#workers].map((worker) => {
      worker.isEnding = true;
      worker.process.kill(signal);
      return worker.process.exited;
    });
    return (await Promise.all(codes)).every((code) => code === 0) ? 0 : 1;
  }

  /** Hands a repeated signal on: the workers then end without draining. */
  hurry(signal: NodeJS.Signals): void {
    for (const { process } of this.#workers) process.kill(signal);
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #replaceAll(): Promise<void> {
    const { log } = this.#options;
    const former = [...this.#workers].filter((each) => !each.isEnding);
    log.info({ workers: former.length }, "replacing all workers");
    for (const worker of former) {
      if (this.#isStopping) return;
      if ((await this.#open()) === undefined) {
        log.error({}, "a new worker did not start; the present workers stay");
        return;
      }
      worker.isEnding = true;
      worker.process.send({ type: "retire" });
      await worker.process.exited;
    }
    log.info({ workers: this.#workers.size }, "all workers replaced");
  }

  /** Starts a worker and waits until it listens; undefined if it ended before. */
  async #open(): Promise<Worker | undefined> {
    const ready = Promise.withResolvers<boolean>();
    const process = this.#options.startWorker(this.#port, (message) => {
      if (message.type === "ready") {
        this.#port ??= Number(new URL(message.url).port || 80);
        if (this.#greeting === "") this.#greeting = message.greeting;
        ready.resolve(true);
      } else this.#receive(worker, message);
    });
    const worker: Worker = {
      process,
      startedAt: performance.now(),
      metrics: "",
      unanswered: 0,
      isEnding: this.#isStopping,
    };
    this.#workers.add(worker);
    void process.exited.then((code) => {
      ready.resolve(false);
      this.#forget(worker, code);
    });
    if (!(await ready.promise)) return undefined;
    void process.exited.then(() => {
      if (!worker.isEnding) void this.#replace(worker);
    });
    return worker;
  }

  #forget(worker: Worker, code: number): void {
    this.#workers.delete(worker);
    this.#ended = keepCounters(sumMetrics([this.#ended, worker.metrics]));
    const { pid } = worker.process;
    if (worker.isEnding) this.#options.log.info({ pid, code }, "worker ended");
    else {
      this.#deaths += 1;
      this.#options.log.error({ pid, code }, "worker died");
    }
  }

  /** Starts another worker for a dead one, later after each failure. */
  async #replace({ startedAt }: Worker): Promise<void> {
    if (performance.now() - startedAt > STABLE_MS) this.#failures = 0;
    while (!this.#isStopping) {
      const first = this.#options.firstBackoffMs ?? FIRST_BACKOFF_MS;
      const backoffMs = Math.min(MAX_BACKOFF_MS, first * 2 ** this.#failures);
      await sleep(backoffMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      this.#failures += 1;
      if (this.#isStopping) return;
      if ((await this.#open()) !== undefined) return;
      if (this.#workers.size === 0 && this.#failures >= MAX_FAILED_STARTS) this.#failed.resolve();
    }
  }

  #receive(worker: Worker, message: Exclude<WorkerMessage, { type: "ready" }>): void {
    worker.metrics = message.text;
    worker.unanswered = 0;
    if (message.type === "metrics") this.#reports.get(message.id)?.();
    else void this.#answer(worker, message.id);
  }

  async #answer(asker: Worker, id: number): Promise<void> {
    const others = [...this.#workers].filter((each) => each !== asker);
    await Promise.all(others.map((each) => this.#report(each)));
    const all = [this.#ended, ...[...this.#workers].map(({ metrics }) => metrics)];
    asker.process.send({ type: "sum", id, text: sumMetrics([...all, this.#ownMetrics()]) });
  }

  #ownMetrics(): string {
    return [
      "# HELP sluice_workers Processes that share the port.",
      "# TYPE sluice_workers gauge",
      `sluice_workers ${this.#workers.size}`,
      "# HELP sluice_worker_deaths_total Workers that ended without being told to.",
      "# TYPE sluice_worker_deaths_total counter",
      `sluice_worker_deaths_total ${this.#deaths}`,
      "",
    ].join("\n");
  }

  /** Asks a worker for its metrics; if it does not reply in time, its last ones stay. */
  async #report(worker: Worker): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const id = ++this.#lastReport;
    const late = setTimeout(resolve, REPORT_MS);
    this.#reports.set(id, resolve);
    worker.unanswered += 1;
    worker.process.send({ type: "report", id });
    await Promise.race([promise, worker.process.exited]);
    clearTimeout(late);
    this.#reports.delete(id);
  }

  #checkAll(): void {
    for (const worker of this.#workers) {
      if (worker.unanswered >= MAX_UNANSWERED) {
        this.#options.log.error({ pid: worker.process.pid }, "worker does not respond: killed");
        worker.process.kill("SIGKILL");
      } else void this.#report(worker);
    }
  }
}
