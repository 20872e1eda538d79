import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What an upstream sends: text as it is, a number of milliseconds to wait, or `CUT`. */
export type Script = readonly (string | number)[];

export interface ScriptedVendor extends AsyncDisposable {
  readonly url: string;
  /** How many requests came. */
  readonly count: number;
  /** For all requests from now on. */
  play(script: Script, contentType?: string): void;
}

export const CUT = "[cut]";

/** An upstream that answers any question with the same bytes. */
export async function openScriptedVendor(): Promise<ScriptedVendor> {
  let script: Script = [];
  let type = "text/event-stream";
  let count = 0;
  const server = createServer({ keepAliveTimeout: 600_000 }, (question, answer) => {
    question.resume();
    question.on("end", () => {
      count++;
      answer.writeHead(200, { "content-type": type });
      void perform(script, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get count() {
      return count;
    },
    play(steps, contentType = "text/event-stream") {
      script = steps;
      type = contentType;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function perform(script: Script, answer: ServerResponse): Promise<void> {
  for (const step of script) {
    if (typeof step === "number") await new Promise((resolve) => setTimeout(resolve, step));
    else if (step === CUT) {
      answer.destroy();
      return;
    } else {
      // Each step arrives by itself.
      await new Promise((resolve) => answer.write(step, resolve));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  answer.end();
}
