import type { CountAnswer, CountQuestion } from "./token-thread.ts";

/** Tokens of a text by the tokenizer of the newest OpenAI models. */
export async function countTokens(text: string): Promise<number> {
  return await countTexts([text]);
}

/** Total tokens of several texts, counted on a separate thread. */
export async function countTexts(texts: readonly string[]): Promise<number> {
  const said = texts.filter((text) => text !== "");
  return said.length === 0 ? 0 : await ask(said);
}

const waiting = new Map<number, PromiseWithResolvers<number>>();
/** Opened by the first count: its 10 MB are not needed if all upstreams report their usage. */
let thread: Worker | undefined;
let lastId = 0;
/** Questions of this turn of the event loop, for one message: thousands of streams may ask. */
let unsent: CountQuestion[] = [];

function ask(texts: readonly string[]): Promise<number> {
  const id = ++lastId;
  const answer = Promise.withResolvers<number>();
  waiting.set(id, answer);
  if (unsent.push({ id, texts }) === 1) setImmediate(sendAll);
  return answer.promise;
}

function sendAll(): void {
  const questions = unsent;
  unsent = [];
  thread ??= openThread();
  thread.postMessage(questions);
  // Keeps the process alive until pending counts are done.
  thread.ref();
}

function openThread(): Worker {
  const opened = new Worker(threadUrl(), { name: "sluice-tokens", smol: true });
  opened.onmessage = ({ data }: MessageEvent<readonly CountAnswer[]>) => {
    for (const { id, tokens } of data) {
      waiting.get(id)?.resolve(tokens);
      waiting.delete(id);
    }
    if (waiting.size === 0) opened.unref();
  };
  // Pending counts fall back to an estimate; the next one starts a new thread.
  const onEnd = (why: string): void => {
    if (thread === opened) thread = undefined;
    for (const { reject } of waiting.values()) reject(new Error(`The tokenizer ended: ${why}`));
    waiting.clear();
  };
  opened.onerror = ({ message }) => {
    onEnd(message);
    opened.terminate();
  };
  opened.addEventListener("close", () => {
    if (thread === opened) onEnd("its thread closed");
  });
  return opened;
}

/** Beside this file, or within the single executable. */
function threadUrl(): string {
  const isSource = import.meta.url.endsWith("/relay/metering/tokens.ts");
  const path = isSource ? "./token-thread.ts" : "./relay/metering/token-thread.js";
  return new URL(path, import.meta.url).href;
}
