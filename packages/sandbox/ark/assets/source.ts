import { isLoopback } from "@sluice/sandbox/wire/loopback.ts";
import { readAssetFile, type AssetFile, type AssetType } from "./asset-file.ts";
import { failureOf, MAX_BYTES, type Failure } from "./failures.ts";

/** The source of an asset's file, and its state. */
export interface Source {
  /** When it was fetched and looked at, or given up; it does not reject. */
  readonly settled: Promise<void>;
  /** Absent until then. Of what lies elsewhere than on this machine nothing is known. */
  readonly found: FoundMedia | undefined;
}

type FoundMedia =
  | { readonly file: AssetFile | undefined; readonly failure?: undefined }
  | { readonly failure: Failure };

/**
 * Fetches what lies on this machine, and gives away what it has got; of other
 * addresses only the end of the path is looked at.
 */
export function openSource(
  url: string,
  wanted: AssetType,
  keep: (bytes: Uint8Array) => void,
): Source {
  if (!isLoopback(url)) {
    const failure = typeByEnding(url, wanted) === wanted ? undefined : "TypeMismatch";
    const found: FoundMedia = failure === undefined ? { file: undefined } : { failure };
    return { settled: Promise.resolve(), found };
  }
  let found: FoundMedia | undefined;
  const settled = fetchFile(url, wanted, keep).then((result) => {
    found = result;
  });
  return {
    settled,
    get found() {
      return found;
    },
  };
}

function typeByEnding(url: string, usual: AssetType): AssetType {
  const { pathname } = new URL(url);
  if (/\.(?:jpe?g|png|webp|bmp|tiff?|gif|hei[cf])$/i.test(pathname)) return "Image";
  if (/\.(?:mp4|mov)$/i.test(pathname)) return "Video";
  return /\.(?:wav|mp3)$/i.test(pathname) ? "Audio" : usual;
}

async function fetchFile(
  url: string,
  wanted: AssetType,
  keep: (bytes: Uint8Array) => void,
): Promise<FoundMedia> {
  let bytes: Uint8Array;
  try {
    const response = await fetch(url, {
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok || response.body === null) return { failure: "DownloadFailed" };
    bytes = await readUpTo(response.body, Math.max(...Object.values(MAX_BYTES)) + 1);
  } catch {
    // The vendor gives no more details of any cause.
    return { failure: "DownloadFailed" };
  }
  const file = readAssetFile(bytes);
  if (file === "undetectable") return { failure: "FormatUndetectable" };
  if (file === "unsupported") return { failure: "FormatUnsupported" };
  const failure = failureOf(file, wanted);
  if (failure !== undefined) return { failure };
  keep(bytes);
  return { file };
}

const TIMEOUT_MS = 10_000;

async function readUpTo(body: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size >= most) break;
  }
  return Buffer.concat(parts);
}
