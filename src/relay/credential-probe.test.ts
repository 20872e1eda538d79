import { expect, test } from "bun:test";
import { credential, type Credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { aChannel } from "#test/a-channel.ts";
import { wholeReply } from "#test/whole-reply.ts";
import { CredentialProbe } from "./credential-probe.ts";
import { Health } from "./failover/health.ts";

const [ONE, TWO] = ["sk-the-first-one", "sk-the-second-one"].map(credential) as [
  Credential,
  Credential,
];
const CALLER = { id: 1, userId: 1 };

function stage(status: number, provider = "openai") {
  const time = { now: 1_000_000 };
  const clock = { now: () => time.now, monotonic: () => time.now };
  const channel = aChannel({ provider, credentials: [ONE, TWO], maxConcurrent: 10 });
  const sent: UpstreamRequest[] = [];
  const egress = {
    async send(request: UpstreamRequest): Promise<UpstreamReply> {
      sent.push(request);
      const text = status === 200 ? '{"data":[]}' : '{"error":{"message":"No."}}';
      return { ...wholeReply({ text, type: "application/json" }), status };
    },
  };
  const ends: Promise<unknown>[] = [];
  const health: Health = new Health(clock, (at, each) => probe.start(at, each));
  const witness: Health["witness"] = (...args) => {
    const request = health.witness(...args);
    ends.push(request.catch(() => {}));
    return request;
  };
  const { signal } = new AbortController();
  const probe = new CredentialProbe({ egress, health: { witness }, clock, signal });
  const to = { channel, upstreamModel: "m" };
  /** A call of the only user is refused, and the probe has ended. */
  const refuse = async (each: Credential): Promise<void> => {
    health.cool(to, each, new GatewayError("upstream_refused", ""), CALLER);
    await Promise.all(ends);
  };
  const usable = () => [ONE, TWO].filter((each) => !isCooled(each)).length;
  const isCooled = (each: Credential): boolean =>
    health.pick(to, new Set([ONE, TWO].filter((other) => other !== each))) === undefined;
  return { sent, time, refuse, usable };
}

test("a refused call's credential is asked about, and only that", async () => {
  const { sent, refuse, usable } = stage(401);
  await refuse(ONE);

  expect(sent.map(({ method, url }) => [method, url.pathname])).toEqual([
    ["GET", expect.stringMatching(/\/models$/)],
  ]);
  expect(sent[0]?.credential).toBe(ONE);
  expect(usable()).toBe(1);
});

test("a credential that the vendor accepts stays in use after any number of refused calls", async () => {
  const { sent, refuse, usable } = stage(200);
  for (let i = 0; i < 10; i++) await refuse(ONE);

  expect(usable()).toBe(2);
  expect(sent).toHaveLength(1);
});

test("a credential is asked about once a minute, each on its own", async () => {
  const { sent, time, refuse } = stage(200);
  await refuse(ONE);
  await refuse(TWO);
  expect(sent).toHaveLength(2);

  time.now += 59_999;
  await refuse(ONE);
  expect(sent).toHaveLength(2);

  time.now += 1;
  await refuse(ONE);
  expect(sent).toHaveLength(3);
});

test("a vendor without a model list is not asked", async () => {
  const { sent, refuse, usable } = stage(401, "vidu");
  await refuse(ONE);

  expect([sent.length, usable()]).toEqual([0, 2]);
});
