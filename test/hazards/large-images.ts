import { openTestGateway, type TestGateway } from "#test/harness.ts";
import type * as callers from "./large-images.callers.ts";
import type * as others from "./large-images.others.ts";

/** A process beside the gateway's. */
interface Beside<Order, Report extends { readonly is: string }> extends Disposable {
  readonly url: string;
  readonly pid: number;
  tell(order: Order): void;
  /** Waits until it says so. */
  when<K extends Report["is"]>(is: K): Promise<Extract<Report, { is: K }>>;
}

type Callers = Beside<callers.Order, callers.Report>;
type Others = Beside<others.Order, others.Report>;

/** Callers with large pictures, and their upstream. */
export const openCallers = (): Promise<Callers> => openBeside("large-images.callers.ts");

/** Callers of small calls, and their upstream. */
export const openOthers = (): Promise<Others> => openBeside("large-images.others.ts");

async function openBeside<Order, Report extends { readonly is: string }>(
  file: string,
): Promise<Beside<Order, Report>> {
  const told: Report[] = [];
  let wake = (): void => {};
  const child = Bun.spawn([process.execPath, new URL(file, import.meta.url).pathname], {
    stdout: "inherit",
    stderr: "inherit",
    ipc(message: Report) {
      told.push(message);
      wake();
    },
  });
  const when = async <K extends Report["is"]>(is: K): Promise<Extract<Report, { is: K }>> => {
    for (;;) {
      const at = told.findIndex((each) => each.is === is);
      if (at >= 0) return told.splice(at, 1)[0] as Extract<Report, { is: K }>;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const { url } = (await when("open")) as unknown as { readonly url: string };
  return {
    url,
    pid: child.pid,
    when,
    tell: (order) => child.send(order),
    [Symbol.dispose]: () => child.kill(),
  };
}

/** A gateway between all of them, in this process. */
export const openInFront = (large: Callers, small: Others): Promise<TestGateway> =>
  openTestGateway({
    yaml: `
channels:
  - { name: large, provider: openai, base_url: "${large.url}", api_key: upstream-secret, models: [gpt-image-1] }
  - { name: small, provider: openai, base_url: "${small.url}", api_key: upstream-secret, models: [gpt-4o-mini] }
models: { gpt-image-1: { input: 10, output: 40 }, gpt-4o-mini: { input: 1, output: 1 } }`,
  });

/** How long others' calls took in each phase of those with large pictures, in ms. */
interface SmallCalls {
  readonly asking: readonly number[];
  readonly waiting: readonly number[];
  readonly answering: readonly number[];
}

/** Pictures, by whom, and over which network. */
export interface Load {
  readonly pictureBytes: number;
  readonly calls: number;
  /** Each way; as much as this machine carries where absent. */
  readonly bytesPerMs?: number;
}

/** All are asked, then all wait, then all are answered; `whenWaiting` looks at those that do. */
export async function askWith(
  { pictureBytes, calls: count, bytesPerMs = Infinity }: Load,
  { gateway: { url }, large, small }: Readonly<Parties>,
  whenWaiting: () => Promise<void> = async () => {},
): Promise<{ readonly small: SmallCalls; readonly sizes: readonly number[] }> {
  large.tell({ do: "prepare", pictureBytes, bytesPerMs });
  await large.when("prepared");

  small.tell({ do: "begin", url });
  large.tell({ do: "ask", url, count });
  await large.when("arrived");
  const asking = await ended(small, 1);
  await whenWaiting();
  small.tell({ do: "begin", url });
  const waiting = await ended(small, ENOUGH_ROUNDS);
  small.tell({ do: "begin", url });
  large.tell({ do: "answer" });
  const { sizes } = await large.when("answered");
  return { small: { asking, waiting, answering: await ended(small, 1) }, sizes };
}

interface Parties {
  readonly gateway: TestGateway;
  readonly large: Callers;
  readonly small: Others;
}

const ENOUGH_ROUNDS = 20;

/** Once so many were answered. */
export async function ended(small: Others, enough: number): Promise<readonly number[]> {
  small.tell({ do: "end", enough });
  return (await small.when("ended")).times;
}
