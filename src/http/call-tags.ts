import type { CallTags } from "#core/call.ts";
import { defined } from "#lib/values.ts";

const MAX_LENGTH = 128;
/** Journal values are shown in terminals and tables, so only visible ASCII is kept. */
const UNSEEN = /[^\x21-\x7e]/g;

/** The client's session and agent ids; longer ids are cut. */
export function callTags(headers: Headers): CallTags | undefined {
  const session = tag(headers.get("x-claude-code-session-id"));
  const agent = tag(headers.get("x-claude-code-agent-id"));
  const parentAgent = tag(headers.get("x-claude-code-parent-agent-id"));
  if (session === undefined && agent === undefined && parentAgent === undefined) return undefined;
  return defined({ session, agent, parentAgent });
}

function tag(value: string | null): string | undefined {
  return value?.replaceAll(UNSEEN, "").slice(0, MAX_LENGTH) || undefined;
}
