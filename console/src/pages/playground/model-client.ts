import { EventSourceParserStream } from "eventsource-parser/stream";
import { ApiError } from "../../api/error.ts";

/** What a model endpoint answered, beside its body. */
export interface Facts {
  readonly status: number;
  readonly callId: string | undefined;
  /** Fields of the request that the model did not get. */
  readonly lossy: readonly string[];
  readonly isSimulated: boolean;
  readonly firstByteMs: number;
}

export interface ModelRequest {
  readonly key: string;
  readonly path: string;
  readonly body: unknown;
  readonly signal?: AbortSignal;
}

/** Asks a model endpoint; throws an ApiError in the endpoint's words. */
export async function askModel({
  key,
  path,
  body,
  signal,
}: ModelRequest): Promise<{ readonly response: Response; readonly facts: Facts }> {
  const from = performance.now();
  const isForm = body instanceof FormData;
  const response = await fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${key}`,
      ...(isForm || body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    // The session's cookie is not for model endpoints.
    credentials: "omit",
  }).catch((cause: unknown) => {
    throw cause instanceof DOMException ? cause : ApiError.unreachable(cause);
  });
  if (!response.ok) throw await refusalOf(response);
  const { headers } = response;
  const facts: Facts = {
    status: response.status,
    callId: headers.get("x-request-id") ?? undefined,
    lossy: (headers.get("sluice-lossy") ?? "")
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean),
    isSimulated: headers.get("sluice-simulated") === "true",
    firstByteMs: performance.now() - from,
  };
  return { response, facts };
}

/** The data of each event of a stream. */
export async function* eventsOf(response: Response): AsyncGenerator<unknown> {
  if (response.body === null) return;
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const { data } of events as unknown as AsyncIterable<{ readonly data: string }>) {
    if (data !== "[DONE]") yield JSON.parse(data);
  }
}

/** The message of an error in any of the styles. */
async function refusalOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as {
      readonly error?: { readonly message?: string } | string;
      readonly message?: string;
    };
    const { error } = body;
    const message = typeof error === "string" ? error : (error?.message ?? body.message);
    if (message !== undefined) return new ApiError(response.status, message);
  } catch {
    // A proxy answered.
  }
  return new ApiError(response.status, text.slice(0, 500) || response.statusText);
}
