import { Vocabulary, type VocabularyTable } from "./vocabulary.ts";

/** Loads the vocabulary in a thread of its own, which ends afterwards. */
export async function loadVocabulary(): Promise<Vocabulary> {
  const thread = new Worker(threadUrl(), { name: "sluice-vocabulary", smol: true });
  try {
    return new Vocabulary(await tableFrom(thread));
  } finally {
    thread.terminate();
  }
}

function tableFrom(thread: Worker): Promise<VocabularyTable> {
  const { promise, resolve, reject } = Promise.withResolvers<VocabularyTable>();
  thread.onmessage = ({ data }: MessageEvent<VocabularyTable>) => resolve(data);
  thread.onerror = ({ message }) => reject(new Error(`The vocabulary was not loaded: ${message}`));
  thread.addEventListener("close", () => reject(new Error("The vocabulary's thread ended.")));
  return promise;
}

/** Beside this file, or within the single executable. */
function threadUrl(): string {
  const isSource = import.meta.url.endsWith("/relay/metering/load-vocabulary.ts");
  const path = isSource ? "./vocabulary-thread.ts" : "./vocabulary-thread.js";
  return new URL(path, import.meta.url).href;
}
