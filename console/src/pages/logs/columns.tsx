import { useSyncExternalStore } from "react";
import type { Translated } from "../../app/language.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { count, milliseconds, money } from "../../ui/format.ts";
import type { Column } from "../../ui/table.tsx";
import { At } from "../../ui/time.tsx";
import type { Call } from "./call.ts";
import type { LOG_TEXTS } from "./texts.ts";

type Texts = Translated<typeof LOG_TEXTS.en>;

const TONES: Record<Call["outcome"], Tone> = {
  completed: "good",
  failed: "bad",
  canceled: "neutral",
  interrupted: "warn",
};

/** Columns that show unless the user chose others. */
const USUAL = [
  "time",
  "result",
  "model",
  "user",
  "key",
  "channel",
  "input",
  "output",
  "cost",
  "firstByte",
  "duration",
];
/** Columns that only auditors have. */
const AUDITORS = new Set(["user", "team", "channel", "upstream"]);

export function Result({
  call,
  t,
}: {
  readonly call: Pick<Call, "outcome" | "status" | "fault">;
  readonly t: Texts;
}) {
  const tone = TONES[call.outcome];
  const isPlain = call.outcome === "completed" && call.status === 200;
  return (
    <Badge tone={tone} title={call.fault ?? undefined}>
      {isPlain ? t.outcomes.completed : `${call.status} ${call.fault ?? t.outcomes[call.outcome]}`}
    </Badge>
  );
}

export function columnsOf(
  t: Texts,
  isAuditor: boolean,
): readonly (Column<Call> & { readonly label: string })[] {
  const all: readonly (Column<Call> & { readonly label: string })[] = [
    {
      name: "time",
      label: t.fields.time,
      width: "7.5rem",
      cell: (call) => <At at={call.ended_at} />,
    },
    {
      name: "result",
      label: t.fields.result,
      width: "9.5rem",
      cell: (call) => <Result call={call} t={t} />,
    },
    {
      name: "model",
      label: t.fields.model,
      width: "11rem",
      cell: (call) => <span title={call.model}>{call.model}</span>,
    },
    {
      name: "upstream",
      label: t.fields.upstream,
      width: "14rem",
      cell: (call) => call.upstream_model ?? "–",
    },
    {
      name: "user",
      label: t.fields.user,
      width: "6rem",
      cell: (call) => call.user_name ?? call.user_id ?? "–",
    },
    {
      name: "team",
      label: t.fields.team,
      width: "6.5rem",
      cell: (call) => call.team_name ?? call.team_id ?? "–",
    },
    {
      name: "key",
      label: t.fields.key,
      width: "7rem",
      cell: (call) => call.token_name ?? call.token_id,
    },
    {
      name: "channel",
      label: t.fields.channel,
      width: "8.5rem",
      cell: (call) => call.channel ?? "–",
    },
    {
      name: "endpoint",
      label: t.fields.endpoint,
      width: "6rem",
      cell: (call) => call.endpoint ?? "–",
    },
    { name: "style", label: t.fields.style, width: "7rem", cell: (call) => call.style },
    {
      name: "input",
      label: t.fields.input,
      width: "4rem",
      align: "end",
      cell: (call) => count(call.usage.input_tokens),
    },
    {
      name: "cached",
      label: t.fields.cached,
      width: "6.5rem",
      align: "end",
      cell: (call) => count(call.usage.cached_input_tokens),
    },
    {
      name: "output",
      label: t.fields.output,
      width: "4.5rem",
      align: "end",
      cell: (call) => count(call.usage.output_tokens),
    },
    {
      name: "reasoning",
      label: t.fields.reasoning,
      width: "6.5rem",
      align: "end",
      cell: (call) => count(call.usage.reasoning_tokens),
    },
    {
      name: "cost",
      label: t.fields.cost,
      width: "6.5rem",
      align: "end",
      cell: (call) => money(call.cost_usd),
    },
    {
      name: "firstByte",
      label: t.fields.firstByte,
      width: "4.75rem",
      align: "end",
      cell: (call) => milliseconds(call.first_byte_ms),
    },
    {
      name: "duration",
      label: t.fields.duration,
      width: "4.75rem",
      align: "end",
      cell: (call) => milliseconds(call.duration_ms),
    },
    {
      name: "tags",
      label: t.fields.tags,
      width: "10rem",
      cell: (call) => call.tags.join(", ") || "–",
    },
    {
      name: "session",
      label: t.fields.session,
      width: "9rem",
      cell: (call) => call.session_id ?? "–",
    },
    {
      name: "id",
      label: t.fields.id,
      width: "16rem",
      cell: (call) => <span className="font-mono text-xs">{call.id}</span>,
    },
  ];
  return isAuditor ? all : all.filter(({ name }) => !AUDITORS.has(name));
}

const STORED = "sluice.logs.columns";
const listeners = new Set<() => void>();
let chosen: readonly string[] = readChosen();

/** The columns that this browser shows. */
export function useChosenColumns(): readonly string[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => chosen,
  );
}

export function chooseColumn(name: string, isShown: boolean): void {
  chosen = isShown ? [...chosen, name] : chosen.filter((each) => each !== name);
  localStorage.setItem(STORED, JSON.stringify(chosen));
  for (const listener of listeners) listener();
}

function readChosen(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? "null");
    if (Array.isArray(stored)) return stored.map(String);
  } catch {
    // Another version of this page wrote it.
  }
  return USUAL;
}
