import { decodeSegment } from "@sluice/sandbox/openai/routing.ts";
import type { VendorRequest } from "@sluice/sandbox/vendor.ts";
import { textReply, type Reply } from "@sluice/sandbox/wire/reply.ts";
import { wordsIn, type Words } from "./page-words.ts";
import { LINK_MS, type Outcome, type SessionTable, type Verification } from "./session-table.ts";

export const H5_PATH = "/h5/";

/**
 * The page that a person opens on their telephone. Two buttons stand for what
 * their camera would see; either leads their browser to the caller's address,
 * as does each further press of who has passed.
 */
export function verificationPage(sessions: SessionTable, now: () => number) {
  return function reply(request: VendorRequest): Reply | undefined {
    const { method, path, query } = request;
    if (!path.startsWith(H5_PATH)) return undefined;
    const words = wordsIn(query.get("lng") ?? "zh");
    if (method !== "GET") return page(405, words, words.unknown);
    const session = sessions.find(decodeSegment(path.slice(H5_PATH.length)));
    if (session === undefined) return page(404, words, words.unknown);
    if (!sessions.isOpen(session)) return page(410, words, words.expired);

    const requested = WISHES[query.get("outcome") ?? ""];
    const { outcome } = session;
    if (outcome === "denied" || (outcome === "passed" && requested === "denied"))
      return page(410, words, words.used);
    if (requested === undefined) return questionPage(session, words);
    const decided = outcome === undefined ? sessions.decide(session, requested) : session;
    return redirect(decided);
  };

  /** It is loaded anew when its time is over, and then says so. */
  function questionPage(session: Verification, words: Words): Reply {
    const left = Math.ceil((session.createdAt + LINK_MS - now()) / 1_000);
    const button = (value: string, text: string) =>
      `<button id="${value}" name="outcome" value="${value}">${text}</button>`;
    const form = `<form>
<input type="hidden" name="lng" value="${words.language}">
${button("pass", words.pass)}
${button("deny", words.deny)}
</form>`;
    const refresh = `<meta http-equiv="refresh" content="${left + 1}">`;
    return page(200, words, words.question, form, refresh);
  }
}

const WISHES: Readonly<Record<string, Outcome>> = { pass: "passed", deny: "denied" };

/** The token is told of who has passed alone. */
function redirect({ token, callbackUrl, outcome }: Verification): Reply {
  const hasPassed = outcome === "passed";
  const address = new URL(callbackUrl);
  const parameters = {
    ...(hasPassed ? { bytedToken: token } : {}),
    resultCode: hasPassed ? "10000" : "10001",
    algorithmBaseRespCode: hasPassed ? "0" : "1",
    reqMeasureInfoValue: hasPassed ? "1" : "0",
    verify_type: "real_time",
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.append(name, value);
  return { ...textReply(302, "", "text/plain"), headers: { location: address.href } };
}

function page(status: number, words: Words, message: string, more = "", head = ""): Reply {
  const html = `<!DOCTYPE html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words.title}</title>
${head}
</head>
<body>
<h1>${words.title}</h1>
<p>${message}</p>
${more}
</body>
</html>
`;
  const reply = textReply(status, html, "text/html; charset=utf-8");
  return { ...reply, headers: { ...reply.headers, "cache-control": "no-store" } };
}
