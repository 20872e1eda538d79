import {
  describeAnswer,
  headersWorthKeeping,
  StepValues,
  withoutKey,
  type RecordedRequest,
} from "./recording.ts";

/** Stands between clients and a gateway, and keeps what they send. */
interface Recorder {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  stop(): Promise<void>;
}

/**
 * Before each step, a client's program asks for `/_step?client=...&step=...`.
 * Steps run one after another.
 */
export function openRecorder(gatewayUrl: string): Recorder {
  const requests: RecordedRequest[] = [];
  let [client, step] = ["", ""];
  let values = new StepValues();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 120,
    maxRequestBodySize: 64 * 1024 * 1024,
    async fetch(request) {
      const { pathname, search, searchParams, origin } = new URL(request.url);
      if (pathname === "/_step") {
        [client, step] = [searchParams.get("client") ?? "", searchParams.get("step") ?? ""];
        values = new StepValues();
        return new Response();
      }
      const { method, headers } = request;
      const sent = new Uint8Array(await request.arrayBuffer());
      const passed = new Headers(headers);
      for (const name of NOT_PASSED) passed.delete(name);
      if (!passed.has("user-agent")) passed.set("user-agent", NO_AGENT);
      const answer = await fetch(gatewayUrl + pathname + search, {
        method,
        headers: passed,
        redirect: "manual",
        ...(sent.length > 0 ? { body: sent } : {}),
      });
      const type = answer.headers.get("content-type") ?? "";
      // Links of an answer lead back through here, as its caller's address says.
      const isText = /json|event-stream|text/.test(type);
      const received = Buffer.from(await answer.arrayBuffer());
      const text = isText ? received.toString().replaceAll(gatewayUrl, origin) : "";
      const body = Buffer.from(sent).toString();
      const kept: RecordedRequest = {
        client,
        step,
        method,
        path: withoutKey(values.toReferences(pathname + search)),
        headers: headersWorthKeeping(headers),
        ...(body === "" ? {} : { body: withoutKey(values.toReferences(body)) }),
        answer: describeAnswer(answer.status, type, text),
      };
      const last = requests.at(-1);
      const isRepeated =
        last !== undefined &&
        last.client === client &&
        last.step === step &&
        last.method === method &&
        last.path === kept.path &&
        last.body === kept.body;
      if (isRepeated) requests[requests.length - 1] = { ...kept, isPoll: true };
      else requests.push(kept);
      values.note(text, isRepeated);
      const answered = new Headers(answer.headers);
      for (const name of NOT_ANSWERED) answered.delete(name);
      return new Response(isText ? text : received, { status: answer.status, headers: answered });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    stop: () => server.stop(true),
  };
}

/** Without it, the runtime would name itself to the gateway in place of the client. */
export const NO_AGENT = "";
const NOT_PASSED = ["host", "connection", "content-length", "accept-encoding", "transfer-encoding"];
const NOT_ANSWERED = ["connection", "content-length", "content-encoding", "transfer-encoding"];
