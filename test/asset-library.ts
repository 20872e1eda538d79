import { credential, type Channel } from "#core/channel.ts";
import type { Egress, UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { parseJson, type JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { aChannel } from "./a-channel.ts";

/** A request to a vendor's asset library. */
export interface LibraryRequest {
  readonly action: string;
  readonly body: JsonObject;
  readonly sent: UpstreamRequest;
}

export interface LibraryAnswer {
  readonly status?: number;
  /** What the action returns. */
  readonly result?: JsonObject;
  /** The vendor's code of a failure. */
  readonly failure?: string;
}

/** A vendor's asset library in place of the network. `answer` may throw, as a network may. */
export function assetLibrary(
  answer: (request: LibraryRequest) => LibraryAnswer | Promise<LibraryAnswer>,
) {
  const asked: LibraryRequest[] = [];
  const cuts: number[] = [];
  let open = 0;
  const egress: Egress = {
    async send(sent) {
      const action = sent.url.searchParams.get("Action") ?? "";
      const text = typeof sent.body === "string" ? sent.body : "";
      const body = objectOf(parseJson(text)) ?? {};
      const request = { action, body, sent };
      asked.push(request);
      const { status = 200, result = {}, failure } = await answer(request);
      const Error = { Code: failure ?? "", Message: "No." };
      const answered = JSON.stringify(
        failure === undefined ? { Result: result } : { ResponseMetadata: { Error } },
      );
      open++;
      const reply: UpstreamReply = {
        status,
        headers: new Map(),
        pump: () => Promise.reject(new globalThis.Error("It is read as a whole.")),
        readAll: () => new TextEncoder().encode(answered),
        readFailure: (maxChars) => {
          cuts.push(maxChars);
          return Promise.resolve(answered);
        },
        close: () => void open--,
        [Symbol.dispose]: () => void open--,
      };
      return reply;
    },
    abortAll() {},
    closePool() {},
    close() {},
  };
  return {
    egress,
    asked,
    /** To how many characters error responses were cut. */
    cuts,
    /** Responses that nobody closed. */
    open: () => open,
    actions: (): readonly string[] => asked.map(({ action }) => action),
  };
}

/** A channel whose account has a library. */
export function libraryChannel(change: Partial<Channel> = {}): Channel {
  return aChannel({
    name: "ark",
    provider: "ark",
    baseUrl: "https://vendor.example/api/v3",
    credentials: [credential("key|AKLTfirst|secret-of-the-first")],
    options: { assets_url: "https://assets.example/", project: "films" },
    ...change,
  });
}
