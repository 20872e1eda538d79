import type { ChannelBalance } from "#core/channel-balance.ts";
import type { ChannelSum } from "#core/channel-minute.ts";
import type { DisableCause, DisableRules } from "#core/channel-state.ts";
import type { Channel } from "#core/channel.ts";
import type { ChannelFailure } from "#core/channel-troubles.ts";

/** The rules of the settings. */
export interface DisableSettings {
  readonly disableRefused: "on" | "off";
  readonly disableFailingShare: number;
  readonly disableMinAttempts: number;
  readonly disableWindowMs: number;
  readonly disableNoBalance: "on" | "off";
}

/** The rules for one channel: its own, or else those of the settings. */
export function rulesFor(
  { autoDisable: own = {} }: Pick<Channel, "autoDisable">,
  settings: DisableSettings,
): Required<DisableRules> {
  return {
    refused: own.refused ?? settings.disableRefused === "on",
    failingShare: own.failingShare ?? settings.disableFailingShare,
    minAttempts: own.minAttempts ?? settings.disableMinAttempts,
    windowMs: own.windowMs ?? settings.disableWindowMs,
    noBalance: own.noBalance ?? settings.disableNoBalance === "on",
  };
}

/** The facts about a channel since its last return. */
export interface DisableEvidence {
  /** Labels of its credentials. */
  readonly credentials: readonly string[];
  readonly refusals: readonly ChannelFailure[];
  /** The attempts within the window. */
  readonly recent: ChannelSum | undefined;
  readonly balance: ChannelBalance | undefined;
}

/** The reason for disabling a channel; undefined if no rule applies. */
export function causeToDisable(
  rules: Required<DisableRules>,
  evidence: DisableEvidence,
): { readonly cause: DisableCause; readonly reason: string } | undefined {
  const refused = rules.refused ? refusalOf(evidence) : undefined;
  if (refused !== undefined) return { cause: "refused", reason: refused };
  const failing = failureOf(rules, evidence);
  if (failing !== undefined) return { cause: "failing", reason: failing };
  const { balance } = evidence;
  if (!rules.noBalance || balance === undefined || hasBalance(balance)) return undefined;
  const reason = `the vendor's account has ${balance.amount} ${balance.currency} left`;
  return { cause: "no_balance", reason };
}

export function hasBalance({ amount, isUsable }: ChannelBalance): boolean {
  return isUsable && amount > 0;
}

/** Only refusals in clear words count: others may be about the request. */
function refusalOf({ credentials, refusals }: DisableEvidence): string | undefined {
  const clear = refusals.filter(({ code }) => code === "upstream_auth");
  const labels = new Set(clear.map(({ credential }) => credential));
  const [first] = clear;
  if (first === undefined || !credentials.every((each) => labels.has(each))) return undefined;
  const status = first.status === undefined ? "" : ` (HTTP ${first.status})`;
  return `the vendor refuses the credential: ${first.reason}${status}`;
}

function failureOf(
  { failingShare, minAttempts, windowMs }: Required<DisableRules>,
  { recent }: DisableEvidence,
): string | undefined {
  if (failingShare === 0 || recent === undefined) return undefined;
  const { attempts, failed } = recent;
  if (attempts < minAttempts || failed < attempts * failingShare) return undefined;
  return `${failed} of ${attempts} attempts failed in ${Math.round(windowMs / 60_000)} minutes`;
}

const FIRST_PROBE_MS = 60_000;
const LONGEST_PROBE_MS = 3_600_000;

/** Ms until the next test, which doubles with each one. */
export function probeDelayMs(probes: number): number {
  return Math.min(FIRST_PROBE_MS * 2 ** Math.min(probes, 10), LONGEST_PROBE_MS);
}
