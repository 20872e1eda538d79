import { openTestGateway, type TestGateway } from "#test/harness.ts";
import type { Order, Report } from "./large-images.worker.ts";

/** Callers and an upstream in a thread of their own. */
export interface Others extends Disposable {
  readonly url: string;
  tell(order: Order): void;
  /** Waits until they say so. */
  when<K extends Report["is"]>(is: K): Promise<Extract<Report, { is: K }>>;
}

export async function openOthers(): Promise<Others> {
  const worker = new Worker(new URL("large-images.worker.ts", import.meta.url));
  const told: Report[] = [];
  let wake = (): void => {};
  worker.addEventListener("message", ({ data }: MessageEvent<Report>) => {
    told.push(data);
    wake();
  });
  const when: Others["when"] = async (is) => {
    for (;;) {
      const found = told.find((each) => each.is === is);
      if (found !== undefined) {
        told.splice(told.indexOf(found), 1);
        return found as never;
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const { url } = await when("open");
  return {
    url,
    when,
    tell: (order) => worker.postMessage(order),
    [Symbol.dispose]: () => worker.terminate(),
  };
}

/** A gateway between its callers and its upstream, in this thread. */
export const openInFront = ({ url }: Others): Promise<TestGateway> =>
  openTestGateway({
    yaml: `
channels:
  - { name: one, provider: openai, base_url: "${url}", api_key: upstream-secret, models: [gpt-image-1, gpt-4o-mini] }
models: { gpt-image-1: { input: 10, output: 40 }, gpt-4o-mini: { input: 1, output: 1 } }`,
  });
