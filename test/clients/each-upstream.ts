import { afterAll, beforeAll, describe } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { channelOf, UPSTREAMS, type Upstream } from "#test/matrix/upstreams.ts";

/** What a client's tests need to know of where they run. */
interface Place {
  readonly url: string;
  readonly upstream: Upstream;
  readonly sandbox: Sandbox;
}

/** The same tests of an official client for every wire format that an upstream may speak. */
export function describeOnEachUpstream(client: string, define: (place: () => Place) => void): void {
  describe.each(UPSTREAMS.map((upstream) => [upstream.id, upstream] as const))(
    `${client}, unmodified, on an upstream of the style %s`,
    (_id, upstream) => {
      let sandbox: Sandbox;
      let gateway: TestGateway;
      beforeAll(async () => {
        sandbox = await startSandbox();
        gateway = await openTestGateway({ yaml: channelOf(upstream, sandbox.url) });
      });
      afterAll(async () => {
        await gateway[Symbol.asyncDispose]();
        await sandbox.stop();
      });
      define(() => ({ url: gateway.url, upstream, sandbox }));
    },
  );
}
